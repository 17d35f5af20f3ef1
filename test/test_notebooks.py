import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
ENVIRONMENT = os.environ | {"SMOKE_TEST": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}

# Not those of libraries about each other.
OWN_WARNING = re.compile(r"(?:botorch_popbo|notebooks)/[\w/]+\.py:\d+: \w*Warning: .*")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@each_notebook
def test_notebook_runs(path: Path) -> None:
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "POPBO_DATA"}
    run = subprocess.run(
        [sys.executable, str(path)], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert not OWN_WARNING.findall(run.stderr), run.stderr
    assert run.stdout.splitlines()[-1].startswith("In short: ")


def test_notebook_runs_as_a_notebook(tmp_path: Path) -> None:
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    notebook = jupytext.read(ROOT / "notebooks" / "botorch_modular.py")
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": tmp_path}}).execute()
    pictures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == 6


@each_notebook
def test_page_shows_the_notebook_as_it_is(path: Path) -> None:
    """After a change, .ci/notebooks runs all of them and writes the pages."""
    jupytext = pytest.importorskip("jupytext")
    page = (ROOT / "docs" / "notebooks" / f"{path.stem}.md").read_text()
    shown = re.findall(r"^```python\n(.*?)\n```$", page, flags=re.DOTALL | re.MULTILINE)
    cells = jupytext.read(path).cells
    assert shown == [cell.source for cell in cells if cell.cell_type == "code"]
    assert f"\nnotebooks/{path.stem}\n" in (ROOT / "docs" / "index.md").read_text()


def test_pages_are_small() -> None:
    sizes = [file.stat().st_size for file in (ROOT / "docs" / "notebooks").rglob("*.*")]
    assert max(sizes) < 150_000
    assert sum(sizes) < 2_000_000
