from importlib import import_module
from typing import Any

import pytest

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.problems import _coco_library
from botorch_popbo.benchmarks.problems._coco_library import open_function, optimum
from botorch_popbo.benchmarks.problems._coco_names import CocoName, expand, parse


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(_coco_library, "import_module", missing)
    with pytest.raises(UsageError, match=r"the module cocoex: pip install 'botorch-popbo\[coco\]'"):
        _coco_library.library()


def test_the_optimum_is_that_of_the_bare_function(capfd: pytest.CaptureFixture[str]) -> None:
    cocoex = pytest.importorskip("cocoex")
    for name in map(parse, (*expand("bbob-d5-i2"), *expand("bbob-d20-i17"))):
        assert name is not None
        bare = cocoex.BareProblem("bbob", name.function, name.dimension, name.instance)
        assert optimum(name) == bare.best_value()
    assert capfd.readouterr().out == ""


def test_functions_outlive_what_made_them() -> None:
    pytest.importorskip("cocoex")
    names = [CocoName("bbob", n, 2, 1) for n in (1, 2, 3)]
    functions = [open_function(name) for name in names]
    found = [function([1.0, 2.0]) for function in functions]
    bare = [import_module("cocoex").BareProblem("bbob", n, 2, 1)([1.0, 2.0]) for n in (1, 2, 3)]
    assert found == bare
