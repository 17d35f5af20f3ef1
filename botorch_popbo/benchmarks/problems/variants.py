"""Problems made of test functions: under noise, in another unit, with failures, by rank alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp, log
from typing import Any

import numpy as np

from botorch_popbo.benchmarks.problems.base import ProblemEntry
from botorch_popbo.benchmarks.problems.functions import FUNCTIONS, Function, SyntheticProblem, exact
from botorch_popbo.benchmarks.settings import Parameters

_OUTLIER_SHARE, _OUTLIER_SIZE = 0.1, 10.0  # in ranges of the function
_NUM_POINTS, _DECADES = 2**12, 12.0
_FAILING_SHARE = 0.5

#: What an evaluation returns, given the function's value and a source of noise.
Observation = Callable[[float, np.random.Generator], float | None]


@dataclass(frozen=True, kw_only=True)
class ObservedProblem(SyntheticProblem):
    """A test function of which something else is observed."""

    observation: Observation = field(repr=False)

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        """See the base class."""
        return self.observation(self.score(parameters), np.random.default_rng(seed))


@dataclass(frozen=True, kw_only=True)
class RankOnlyProblem(SyntheticProblem):
    """Observes where a point stands among those before it, and nothing else.

    The observation is a label: one less than that of the best or one more than that of the worst
    point, or halfway between its two neighbours'. Labels are in the order of the function, and tell
    no more. After some fifty points between the same two, rounding makes labels equal.
    """

    def tell(self, observed: float, earlier: Sequence[tuple[float, float]]) -> float:
        """See the base class."""
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


def _outliers(function: Function) -> Observation:
    def observe(value: float, rng: np.random.Generator) -> float:
        is_outlier, sign = rng.random() < _OUTLIER_SHARE, rng.choice([-1.0, 1.0])
        return value + float(is_outlier * sign * _OUTLIER_SIZE * function.extent)

    return observe


def _distorted(function: Function) -> Observation:
    """An increasing function of the values, which hides their shape."""
    return lambda value, _: exp(_DECADES * log(10.0) * value / function.extent)


def _failing(name: str) -> Observation:
    """No outcome where the function is too large, as in a training run that diverges."""

    @cache
    def threshold() -> float:
        import torch
        from botorch.utils.sampling import draw_sobol_samples

        function = exact(name).function
        # Sobol's points, not random ones: the threshold is the same wherever it is computed.
        X = draw_sobol_samples(torch.as_tensor(function.bounds), n=_NUM_POINTS, q=1, seed=0)
        return float(function(X.squeeze(1), noise=False).quantile(1.0 - _FAILING_SHARE))

    return lambda value, _: None if value > threshold() else value


def _noises(function: Function) -> Iterator[tuple[str, str, Observation]]:
    """Kinds of noise, their descriptions and the observations."""
    *smaller, deviation = function.deviations
    for kind, d in [*((f"gaussian-{d:g}", d) for d in smaller), ("gaussian", deviation)]:
        yield kind, f"normal noise of deviation {d:g}", _gaussian(d)
    yield "student", f"Student-t noise (2 d.o.f.) of scale {deviation:g}", _student(deviation)
    yield "outliers", "10 % outliers of 10 times the range", _outliers(function)


def variants() -> Iterator[ProblemEntry]:
    """The problems made of the functions whose noise is known."""
    functions = {name: function for name, function in FUNCTIONS.items() if function.deviations}
    for name, function in functions.items():
        for suffix, text, observe in _noises(function):
            fields = {"noisy": True, "observation": observe}
            yield _variant(name, suffix, f" with {text}", ObservedProblem, **fields)
    text = f", observed as its exponential over {_DECADES:g} powers of ten"
    for name, function in functions.items():
        observe = _distorted(function)
        yield _variant(name, "distorted", text, ObservedProblem, observation=observe)
    text = f", where the worst {_FAILING_SHARE:.0%} of points fail"
    for name in functions:
        yield _variant(name, "failures", text, ObservedProblem, observation=_failing(name))
    for name in functions:
        yield _variant(name, "ranks", ", by the order of the points alone", RankOnlyProblem)


def _variant(
    base: str, suffix: str, text: str, kind: type[SyntheticProblem], **fields: Any
) -> ProblemEntry:
    name, text = f"{base}-{suffix}", f"function: {base}{text}"
    fields |= {"name": name, "group": "hard-feedback"}
    return ProblemEntry(name, text, lambda _: kind(**{**vars(exact(base)), **fields}))
