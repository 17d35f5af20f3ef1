"""Private names of Ax, BoTorch and Optuna that the package uses are listed, and exist."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
THEIRS = ("ax", "botorch", "optuna", "gpytorch", "linear_operator")
ROW = re.compile(r"^\| `((?:ax|botorch|optuna)[.\w]+)` \| ([^|]+) \|", re.MULTILINE)
ROWS = [
    (where, re.findall(r"`(\w+)`", names))
    for where, names in ROW.findall((ROOT / "docs" / "versions.md").read_text())
]
OF_PYTHON = {"_exit", "_actions"}  # of os and of argparse


def module_of(where: str) -> ModuleType:
    """The module of a class, or the module itself."""
    try:
        return import_module(where)
    except ModuleNotFoundError:
        return import_module(where.rpartition(".")[0])


@pytest.mark.parametrize(("where", "names"), ROWS)
def test_each_exists(where: str, names: list[str]) -> None:
    module = module_of(where)
    if module.__name__ != where:
        assert hasattr(module, where.rpartition(".")[2])
    for name in names:
        assert re.search(rf"\b{name}\b", inspect.getsource(module)), name


def test_the_list_is_complete() -> None:
    own, used = set(), set()
    for path in (ROOT / "botorch_popbo").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    own.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    own.add(name)
                case ast.Attribute(attr=name):
                    used.add(name)
                case ast.ImportFrom(module=str(module)) if module.split(".")[0] in THEIRS:
                    used.update(alias.name for alias in node.names)
    private = {name for name in used - own if re.match(r"_[a-zA-Z]", name)}
    listed = {name for _, names in ROWS for name in names}
    assert private - OF_PYTHON <= listed
