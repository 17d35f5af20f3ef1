"""The scripts of the documentation."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def import_example(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    """A script as a module."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module(name)
