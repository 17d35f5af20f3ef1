"""Test functions under noise: Gaussian, heavy-tailed, and with outliers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.functions import FUNCTIONS, Function, Variants
from botorch_popbo.benchmarks.problems.synthetic import SyntheticProblem
from botorch_popbo.benchmarks.settings import Parameters

#: Draws an error, in the unit of the function.
Noise = Callable[[np.random.Generator], float]

_OUTLIER_SHARE = 0.1
_OUTLIER_SIZE = 10.0  # in ranges of the function


@dataclass(frozen=True, kw_only=True)
class NoisyProblem(SyntheticProblem):
    """A test function plus an independent error of every evaluation.

    Attributes:
        noise: Draws an error.
    """

    noise: Noise = field(repr=False)

    def evaluate(self, parameters: Parameters, seed: int) -> float:
        """See the base class."""
        return self.score(parameters) + self.noise(np.random.default_rng(seed))


def noisy_functions() -> Variants:
    """All noisy test functions.

    Returns:
        By name, a description and a function that makes the problem.
    """
    found: Variants = {}
    for name, function in FUNCTIONS.items():
        *smaller, deviation = function.deviations
        kinds = {
            **{f"gaussian-{d:g}": (_normal(d), _gaussian(d)) for d in smaller},
            "gaussian": (_normal(deviation), _gaussian(deviation)),
            "student": (f"Student-t noise (2 d.o.f.) of scale {deviation:g}", _student(deviation)),
            "outliers": ("10 % outliers of 10 times the range", _outliers(function.extent)),
        }
        for kind, (description, noise) in kinds.items():
            key = f"{name}-{kind}"
            found[key] = (f"{name} with {description}", partial(_make, key, function, noise))
    return found


def _normal(deviation: float) -> str:
    return f"normal noise of deviation {deviation:g}"


def _make(key: str, function: Function, noise: Noise) -> Problem:
    fields = {**vars(function.make()), "name": key, "noisy": True, "noise": noise}
    return NoisyProblem(**fields)


def _gaussian(deviation: float) -> Noise:
    return lambda rng: float(rng.normal(scale=deviation))


def _student(scale: float) -> Noise:
    return lambda rng: float(scale * rng.standard_t(2))


def _outliers(extent: float) -> Noise:
    def noise(rng: np.random.Generator) -> float:
        is_outlier, sign = rng.random() < _OUTLIER_SHARE, rng.choice([-1.0, 1.0])
        return float(is_outlier * sign * _OUTLIER_SIZE * extent)

    return noise
