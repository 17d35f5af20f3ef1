import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import botorch_popbo

ROOT = Path(botorch_popbo.__file__).parent
#: What registers samplers looks ahead, and what gathers public names.
REGISTRATIONS = {("models", "sampling"), ("models", "acquisition")}
REGISTRATIONS |= {(folder, "paper") for folder in ("acquisition", "models", "posteriors")}


def test_the_core_needs_no_extra_and_loads_none() -> None:
    # Names are loaded when they are asked for, so that the import alone would need nothing.
    code = """
import sys
names = "ax", "joblib", "loky", "matplotlib", "optuna", "plotly", "sklearn", "tqdm", "pandas"
sys.modules.update(dict.fromkeys(names))  # importing one raises ImportError
from botorch_popbo import *
RankingGP
for name in ("ax", "optuna"):
    try:
        __import__(f"botorch_popbo.{name}")
    except ImportError as error:
        print(error)
for name in names:
    del sys.modules[name]
from botorch_popbo.optuna import PoPBOSampler
minimize(lambda x: x, {"x": (0.0, 1.0)}, 12, progress=False)
print({"ax", "joblib", "loky", "pandas", "plotly", "sklearn", "sympy"} & set(sys.modules))
"""
    told = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()
    assert told[0].startswith("botorch_popbo.ax needs Ax. In the clone, run pip install")
    assert 'pip install ".[optuna]"' in told[1]
    assert told[2:] == ["set()"]


def folders() -> list[str]:
    """The folders and modules of the package in the order of the page for contributors."""
    page = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
    table = page.split("| folder | the one idea |")[1].split("\n\n")[0]
    return re.findall(r"^\| `(\w+)(?:/|\.py)` \|", table, flags=re.MULTILINE)


def imported(path: Path) -> list[list[str]]:
    """What a file imports, as the parts of its name."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [a.name for node in nodes if isinstance(node, ast.Import) for a in node.names]
    return [name.split(".") for name in names]


def imports(path: Path) -> set[str]:
    """What of the package a file imports, by its folder or module."""
    return {parts[1] for parts in imported(path) if parts[0] == "botorch_popbo" and parts[1:]}


def test_every_folder_has_a_line_on_the_page_for_contributors() -> None:
    found = {path.stem for path in ROOT.iterdir() if not path.name.startswith(("_", "py.typed"))}
    assert found - {"version"} == set(folders())


def test_a_folder_imports_only_from_those_before_it() -> None:
    order = folders()
    ahead = {
        (own, other)
        for place, own in enumerate(order)
        for path in [ROOT / f"{own}.py", *(ROOT / own).rglob("*.py")]
        if path.is_file()
        for other in imports(path) & set(order[place + 1 :])
    }
    assert ahead == REGISTRATIONS


@pytest.mark.parametrize(
    ("framework", "known"),
    [("ax", {"ax"}), ("optuna", {"optuna"}), ("starlette", {"judging"})],
)
def test_a_framework_is_imported_only_where_the_page_says(framework: str, known: set[str]) -> None:
    found = {
        path.relative_to(ROOT).parts[0]
        for path in ROOT.rglob("*.py")
        if framework in {parts[0] for parts in imported(path)}
    }
    assert found - {"benchmarks"} == known
