"""The package ``coco-experiment``: its functions, their optima and its files of results."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.problems._coco_names import CocoName

_OPTIMUM = re.compile(r"Fopt \((.*?)\)")


def library() -> Any:
    """The module ``cocoex``, which from now on says nothing unasked; UsageError without it."""
    try:
        cocoex = import_module("cocoex")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"COCO's problems need the module {error.name}: pip install 'botorch-popbo[coco]'"
        ) from error
    cocoex.log_level("warning")
    return cocoex


def open_function(name: CocoName) -> Any:
    """COCO's own object of a function; the name has an instance."""
    suite = _suite(name.suite, name.dimension, name.instance)
    numbers = name.function, name.dimension, name.instance
    return suite.get_problem_by_function_dimension_instance(*numbers)


@cache
def _suite(name: str, dimension: int, instance: int) -> Any:
    # Kept for as long as the process lives: COCO's functions refer to their suite in C.
    return library().Suite(name, f"instances: {instance}", f"dimensions: {dimension}")


@cache
def optimum(name: CocoName) -> float:
    """The smallest value of a function, without noise, to thirteen digits.

    COCO tells it nowhere but in the files that it writes while a function is evaluated.
    """
    with TemporaryDirectory() as folder:
        observer = library().Observer("bbob", f"outer_folder: {folder} result_folder: one")
        with open_function(name) as function:
            function.observe_with(observer)
            function(function.initial_solution)
        (file,) = Path(folder).rglob("*.dat")
        found = _OPTIMUM.search(file.read_text())
    assert found is not None
    return float(found[1])
