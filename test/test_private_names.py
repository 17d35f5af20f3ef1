"""Private names of Ax, BoTorch, … that the package uses or overrides are listed, and exist."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
THEIRS = ("ax", "botorch", "optuna", "gpytorch", "linear_operator")
ROW = re.compile(rf"^\| `((?:{'|'.join(THEIRS)})\.[.\w]+)` \| ([^|]+) \|", re.MULTILINE)
ROWS = [
    (where, re.findall(r"`(\w+)`", names))
    for where, names in ROW.findall((ROOT / "docs" / "versions.md").read_text())
]
LISTED = {name for _, names in ROWS for name in names}
OF_PYTHON = {"_exit", "_actions", "_asdict", "_replace"}  # of os, argparse and named tuples
FILES = sorted((ROOT / "botorch_popbo").rglob("*.py"))
PRIVATE = re.compile(r"_[a-zA-Z]")


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


def overridden(ours: ast.ClassDef, path: Path) -> Iterator[str]:
    """Private names that a class of ours defines, and one of theirs that it is derived from too."""
    defined = set()
    for node in ours.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                defined.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                defined.add(name)
    private = {name for name in defined if PRIVATE.match(name)}
    if private:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for parent in getattr(module, ours.name).__mro__:
            if parent.__module__.split(".")[0] in THEIRS:
                yield from private & {*vars(parent), *vars(parent).get("__annotations__", ())}


def test_the_list_holds_what_is_overridden() -> None:
    found = {
        name
        for path in FILES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
        for name in overridden(node, path)
    }
    assert "_fit" in found  # else nothing is found
    assert found <= LISTED


def test_the_list_holds_what_is_used() -> None:
    own, used = set(), set()
    for path in FILES:
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
    private = {name for name in used - own if PRIVATE.match(name)}
    assert private - OF_PYTHON <= LISTED
