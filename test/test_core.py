"""The core stands alone, as ``docs/core.md`` says."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import botorch_popbo

ROOT = Path(botorch_popbo.__file__).parent
FOLDERS = {"acquisition", "data", "likelihoods", "models", "paper", "posteriors", "sampling"}
FILES = {"settings", "version", "_once_differentiable", "_reproducible"}
#: There is no public way to the numerics of a logarithm, and to the type of a default value.
PRIVATE = {"_log_ei_helper", "_DefaultType"}


@pytest.fixture(scope="module")
def loaded() -> list[str]:
    """What a fresh process has loaded that has imported the core."""
    names = ", ".join(f"botorch_popbo.{folder}" for folder in sorted(FOLDERS))
    command = f"import sys, {names}, botorch_popbo.paper.acquisition; print(*sys.modules)"
    return subprocess.check_output([sys.executable, "-c", command], text=True).split()


def test_it_loads_no_other_framework_and_nothing_else_of_the_package(loaded: list[str]) -> None:
    assert not {name.split(".")[0] for name in loaded} & {"ax", "optuna", "pandas", "sklearn"}
    ours = {name.split(".")[1] for name in loaded if name.startswith("botorch_popbo.")}
    assert ours == FOLDERS | FILES


def test_it_imports_nothing_private_of_botorch_but_what_is_listed() -> None:
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    imported = {
        name
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("botorch.")
        for name in (*str(node.module).split("."), *(alias.name for alias in node.names))
    }
    assert "Model" in imported  # else nothing is found
    assert {name for name in imported if name.startswith("_")} == PRIVATE
