"""The package for OptunaHub: the files that its registry wants, which run."""

import runpy
import sys
from importlib import util
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

PACKAGE = Path(__file__).parents[2] / "docs/examples/optunahub/package/samplers/popbo"


def load_module(package: str) -> ModuleType:
    """What OptunaHub does with a package."""
    assert package == "samplers/popbo"
    spec = util.spec_from_file_location("popbo_of_hub", PACKAGE / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optunahub", SimpleNamespace(load_module=load_module))
    runpy.run_path(str(PACKAGE / "example.py"))
    assert "'x'" in capsys.readouterr().out
