"""Problems made of test functions: under noise, in another unit, with failures, by rank alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import exp, log
from typing import Any

import numpy as np
import torch
from botorch.utils.sampling import draw_sobol_samples

from botorch_popbo.benchmarks.problems._functions import (
    FUNCTIONS,
    Function,
    SyntheticProblem,
    exact,
)
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters

_OUTLIER_SHARE = 0.1
_OUTLIER_SIZE = 10.0  # in ranges of the function
_DECADES = 12.0
_FAILING_SHARE = 0.5
_NUM_POINTS = 2**12

#: What an evaluation returns, given the function's value and a source of noise.
Observation = Callable[[float, np.random.Generator], float | None]


@dataclass(frozen=True, kw_only=True)
class ObservedProblem(SyntheticProblem):
    """A test function of which something else is observed."""

    observation: Observation = field(repr=False)

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        return self.observation(self.score(parameters), np.random.default_rng(seed))


@dataclass(frozen=True, kw_only=True)
class RankOnlyProblem(SyntheticProblem):
    """Observes where a point stands among those before it, and nothing else.

    The observation is a label: one less than that of the best or one more than that of the worst
    point, or halfway between the two points that it stands between. So labels are in the order of
    the function, and whoever is told them knows that order and no more. After some fifty points
    between the same two, rounding makes labels equal.
    """

    def tell(self, observed: float, earlier: Sequence[tuple[float, float]]) -> float:
        below = [label for value, label in earlier if value < observed]
        above = [label for value, label in earlier if value > observed]
        same = [label for value, label in earlier if value == observed]
        if same:
            return same[0]
        low = max(below) if below else min(above, default=1.0) - 2.0
        high = min(above) if above else low + 2.0
        return (low + high) / 2.0


def _gaussian(deviation: float) -> Observation:
    return lambda value, rng: value + float(rng.normal(scale=deviation))


def _student(scale: float) -> Observation:
    return lambda value, rng: value + float(scale * rng.standard_t(2))


def _outliers(extent: float) -> Observation:
    def observe(value: float, rng: np.random.Generator) -> float:
        is_outlier, sign = rng.random() < _OUTLIER_SHARE, rng.choice([-1.0, 1.0])
        return value + float(is_outlier * sign * _OUTLIER_SIZE * extent)

    return observe


def _distorted(function: Function) -> Observation:
    """An increasing function of the values, which hides their shape."""
    return lambda value, _: exp(_DECADES * log(10.0) * value / function.extent)


def _failing(function: Function) -> Observation:
    """No outcome where the function is too large, as in a training run that diverges."""

    @cache
    def threshold() -> float:
        made = function.make()
        # Sobol's points, not random ones: the threshold is the same wherever it is computed.
        X = draw_sobol_samples(torch.as_tensor(made.bounds), n=_NUM_POINTS, q=1, seed=0)
        return float(made(X.squeeze(1), noise=False).quantile(1.0 - _FAILING_SHARE))

    return lambda value, _: None if value > threshold() else value


def _noises(function: Function) -> Iterator[tuple[str, str, Observation]]:
    """Kinds of noise, their descriptions and the observations."""
    *smaller, deviation = function.deviations
    for kind, d in [*((f"gaussian-{d:g}", d) for d in smaller), ("gaussian", deviation)]:
        yield kind, f"normal noise of deviation {d:g}", _gaussian(d)
    text = f"Student-t noise (2 d.o.f.) of scale {deviation:g}"
    yield "student", text, _student(deviation)
    yield "outliers", "10 % outliers of 10 times the range", _outliers(function.extent)


def variants() -> Iterator[tuple[str, str, Callable[[], Problem]]]:
    """Yield the name and description of every problem, and a function that makes it."""
    functions = {name: function for name, function in FUNCTIONS.items() if function.deviations}
    for name, function in functions.items():
        for suffix, text, observation in _noises(function):
            make = partial(
                _make, ObservedProblem, name, suffix, noisy=True, observation=observation
            )
            yield f"{name}-{suffix}", f"{name} with {text}", make
    for suffix, text, observe in (
        ("distorted", f"observed as its exponential over {_DECADES:g} powers of ten", _distorted),
        ("failures", "the worse half of whose points fail", _failing),
    ):
        for name, function in functions.items():
            make = partial(_make, ObservedProblem, name, suffix, observation=observe(function))
            yield f"{name}-{suffix}", f"{name}, {text}", make
    for name in functions:
        make = partial(_make, RankOnlyProblem, name, "ranks")
        yield f"{name}-ranks", f"{name}, told only the order of the points", make


def _make(kind: type[SyntheticProblem], name: str, suffix: str, **fields: Any) -> Problem:
    return kind(**{**vars(exact(name)), "name": f"{name}-{suffix}", **fields})
