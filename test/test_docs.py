"""Every Python block of the README and of the documentation runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
BLOCKS = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
    for number, code in enumerate(
        re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    )
]


@pytest.mark.parametrize("code", BLOCKS)
def test_code_block_runs(code: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_readme_shows_ax_and_botorch() -> None:
    assert [block.id for block in BLOCKS if str(block.id).startswith("README")] == [
        "README-0",
        "README-1",
    ]


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text()
    missing = [page.stem for page in DOCS.glob("*.md") if f"\n{page.stem}\n" not in index]
    assert missing == ["index"]


def test_every_module_is_in_the_api_page() -> None:
    api = (DOCS / "api.md").read_text()
    package = DOCS.parent / "botorch_popbo"
    modules = [
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in package.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py", "version.py")
        and "benchmarks" not in path.parts
    ]
    assert [module for module in modules if f"automodule:: {module}\n" not in api] == []
