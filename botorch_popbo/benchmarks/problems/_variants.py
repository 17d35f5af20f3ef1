"""Problems made of test functions: under noise, in another unit, with failures, by rank alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp, log
from typing import Any

import numpy as np

from botorch_popbo.benchmarks.points import evaluation_seed
from botorch_popbo.benchmarks.problems._functions import (
    FUNCTIONS,
    Function,
    SyntheticProblem,
    exact,
)
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters

_OUTLIER_SHARE, _OUTLIER_SIZE = 0.1, 10.0  # in ranges of the function
_NUM_POINTS, _DECADES = 2**12, 12.0
_FAILING_SHARES = {"failures": 0.5, "failures-75": 0.75}
_BEHIND_OPTIMUM = 0.05  # in sides of the domain, where a half-space of failures begins
_STEP = 0.5  # to which outcomes are rounded

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
    point, or halfway between its two neighbours'. Labels are in the order of the function, and tell
    no more. After some fifty points between the same two, rounding makes labels equal.
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


@dataclass(frozen=True, kw_only=True)
class HalfFailingProblem(SyntheticProblem):
    """Evaluations fail on one side of a plane close to the optimum, whatever the function's value.

    The plane has a random direction, the same for all seeds, and the optimum is on the good side.
    """

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        return None if self._depth(parameters) > 0.0 else self.score(parameters)

    def _depth(self, parameters: Parameters) -> float:
        """How far a point lies beyond the plane, in sides of the domain."""
        import torch

        low, high = torch.as_tensor(self.function.bounds)
        point = torch.tensor([float(parameters[name]) for name in self.space.parameters])
        optimum = torch.as_tensor(self.function.optimizers)[0]
        offset = (point - optimum) / (high - low)
        rng = np.random.default_rng(evaluation_seed(self.name, 0, 0))
        direction = torch.as_tensor(rng.normal(size=len(offset)))
        return float(offset.double() @ direction / direction.norm()) - _BEHIND_OPTIMUM


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


def _rounded(value: float, _: np.random.Generator) -> float:
    """Many points share the best outcome."""
    return round(value / _STEP) * _STEP


def _failing(name: str, share: float) -> Observation:
    """No outcome where the function is too large, as in a training run that diverges."""

    @cache
    def threshold() -> float:
        import torch
        from botorch.utils.sampling import draw_sobol_samples

        function = exact(name).function
        # Sobol's points, not random ones: the threshold is the same wherever it is computed.
        X = draw_sobol_samples(torch.as_tensor(function.bounds), n=_NUM_POINTS, q=1, seed=0)
        return float(function(X.squeeze(1), noise=False).quantile(1.0 - share))

    return lambda value, _: None if value > threshold() else value


def _noises(function: Function) -> Iterator[tuple[str, str, Observation]]:
    """Kinds of noise, their descriptions and the observations."""
    *smaller, deviation = function.deviations
    for kind, d in [*((f"gaussian-{d:g}", d) for d in smaller), ("gaussian", deviation)]:
        yield kind, f"normal noise of deviation {d:g}", _gaussian(d)
    text = f"Student-t noise (2 d.o.f.) of scale {deviation:g}"
    yield "student", text, _student(deviation)
    yield "outliers", "10 % outliers of 10 times the range", _outliers(function)


def variants() -> Iterator[tuple[str, str, Callable[[], Problem]]]:
    """Names and descriptions of problems, and what makes them."""
    functions = {name: function for name, function in FUNCTIONS.items() if function.deviations}
    for name, function in functions.items():
        for suffix, text, observe in _noises(function):
            fields = {"noisy": True, "observation": observe}
            yield _variant(name, suffix, f" with {text}", ObservedProblem, **fields)
    text = f", observed as its exponential over {_DECADES:g} powers of ten"
    for name, function in functions.items():
        observe = _distorted(function)
        yield _variant(name, "distorted", text, ObservedProblem, observation=observe)
    for suffix, share in _FAILING_SHARES.items():
        text = f", the worst {share:.0%} of whose points fail"
        for name in functions:
            observe = _failing(name, share)
            yield _variant(name, suffix, text, ObservedProblem, observation=observe)
    text = ", failing behind a plane close to the optimum"
    for name in functions:
        yield _variant(name, "failures-behind", text, HalfFailingProblem)
    text = f", rounded to multiples of {_STEP:g}"
    yield _variant("hartmann6", "rounded", text, ObservedProblem, observation=_rounded)
    for name in functions:
        yield _variant(name, "ranks", ", told only the order of the points", RankOnlyProblem)


def _variant(
    base: str, suffix: str, text: str, kind: type[SyntheticProblem], **fields: Any
) -> tuple[str, str, Callable[[], Problem]]:
    fields |= {"name": f"{base}-{suffix}", "group": "hard-feedback"}
    return fields["name"], f"{base}{text}", lambda: kind(**{**vars(exact(base)), **fields})
