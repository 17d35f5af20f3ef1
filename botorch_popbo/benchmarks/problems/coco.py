"""Functions of COCO's suites as problems."""

import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from sys import float_info
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from botorch_popbo._errors import library
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.coco_names import SUITES, CocoName
from botorch_popbo.benchmarks.problems.coco_noise import (
    Noise,
    cauchy_shift,
    cauchy_sibling,
    noise_of,
)
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.space import Parameter, Space

_OPTIMUM = re.compile(r"Fopt \((.*?)\)")


@dataclass(frozen=True, kw_only=True)
class CocoProblem(Problem):
    """A function of COCO, minimized.

    Attributes:
        coco_name: Which one; without an instance the seed of a replication chooses it, 1 for seed
            0, and until then it is 1.
        function: COCO's own object.
        optimal_value: The smallest value, to thirteen digits.
    """

    coco_name: CocoName
    function: Any = field(repr=False)
    optimal_value: float

    def for_seed(self, seed: int) -> "CocoProblem":
        """See the base class."""
        if self.coco_name.instance is not None:
            return self
        return replace(coco(replace(self.coco_name, instance=seed + 1)), name=self.name)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return self._known(float(self.function(self._point(parameters))))

    def _point(self, parameters: Parameters) -> list[float]:
        return [float(parameters[name]) for name in self.space.parameters]

    def _known(self, value: float) -> float:
        """A value that rounding has not put below the optimum."""
        return max(value, self.optimal_value)


@dataclass(frozen=True, kw_only=True)
class NoisyCocoProblem(CocoProblem):
    """A function of ``bbob-noisy``.

    The noise is drawn here, by the law by which COCO draws it: the state of COCO's own generator
    belongs to the process, and a resumed replication could not have it back.

    Attributes:
        function: COCO's own object of the function that has Cauchy noise and is otherwise the same.
        shift: By how much that noise raises the values that it does not scatter.
        noise: The function's own noise.
    """

    shift: float = field(repr=False)
    noise: Noise = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        # Each scattered value is another one, so the first that comes twice is not scattered.
        point, seen = self._point(parameters), set[float]()
        while (value := float(self.function(point))) not in seen:
            seen.add(value)
        return self._known(value - self.shift)

    def evaluate(self, parameters: Parameters, seed: int) -> float:
        """See the base class."""
        excess = self.score(parameters) - self.optimal_value
        return self.optimal_value + self.noise(excess, np.random.default_rng(seed))


@dataclass(frozen=True, kw_only=True)
class ConstrainedCocoProblem(CocoProblem):
    """A function of ``bbob-constrained``, where the evaluation of an infeasible point fails.

    Methods do not learn by how much a constraint is violated, and the score of an infeasible point
    is the largest number. On many functions hardly one of a thousand random points is feasible, so
    every replication begins with COCO's feasible one.
    """

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return super().score(parameters) if self._is_feasible(parameters) else float_info.max

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        """See the base class."""
        return super().score(parameters) if self._is_feasible(parameters) else None

    def _is_feasible(self, parameters: Parameters) -> bool:
        return bool(np.all(self.function.constraint(self._point(parameters)) <= 0.0))


def coco(name: CocoName) -> CocoProblem:
    """Make the problem of a function; raises UsageError if ``coco-experiment`` is missing."""
    assert name.function is not None
    one = replace(name, instance=name.instance or 1)
    kind: type[CocoProblem] = CocoProblem
    fields: dict[str, Any] = {}
    if name.suite == "bbob-noisy":
        one = replace(one, function=cauchy_sibling(name.function))
        kind, noise = NoisyCocoProblem, noise_of(name.function, name.dimension)
        fields = {"noise": noise, "shift": cauchy_shift(name.function), "noisy": True}
    function = open_function(one)
    space = _space(function)
    if name.suite == "bbob-constrained":
        start = zip(space.parameters, function.initial_solution.tolist(), strict=True)
        kind, fields = ConstrainedCocoProblem, {"start": dict(start)}
    return kind(
        name=str(name),
        space=space,
        label="function value",
        optimal_value=optimum(one),
        group=f"{name.suite}-d{name.dimension} {SUITES[name.suite].group(name.function)}",
        library="coco-experiment",
        coco_name=name,
        function=function,
        **fields,
    )


def _space(function: Any) -> Space:
    """Whole numbers come first."""
    ends = [*zip(function.lower_bounds.tolist(), function.upper_bounds.tolist(), strict=True)]
    whole = function.number_of_integer_variables
    kinds = [Parameter(int(low), int(high), 1) for low, high in ends[:whole]]
    kinds += [Parameter(low, high) for low, high in ends[whole:]]
    return Space({f"x{i}": kind for i, kind in enumerate(kinds)})


def _cocoex() -> Any:
    """The module, which from now on says nothing unasked; UsageError without it."""
    cocoex = library("cocoex", "a problem of COCO's", "coco")
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
    return _cocoex().Suite(name, f"instances: {instance}", f"dimensions: {dimension}")


@cache
def optimum(name: CocoName) -> float:
    """The smallest value of a function, without noise, to thirteen digits.

    COCO tells it nowhere but in the files that it writes while a function is evaluated.
    """
    with TemporaryDirectory() as folder:
        observer = _cocoex().Observer("bbob", f"outer_folder: {folder} result_folder: one")
        with open_function(name) as function:
            function.observe_with(observer)
            function(function.initial_solution)
        (file,) = Path(folder).rglob("*.dat")
        found = _OPTIMUM.search(file.read_text())
    assert found is not None
    return float(found[1])
