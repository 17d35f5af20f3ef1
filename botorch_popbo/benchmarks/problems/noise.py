"""Test functions under noise: Gaussian, heavy-tailed, and with outliers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.synthetic import (
    SyntheticProblem,
    branin,
    hartmann6,
    rosenbrock6,
)
from botorch_popbo.benchmarks.settings import Parameters

#: Draws an error, in the unit of the function.
Noise = Callable[[np.random.Generator], float]

_OUTLIER_SHARE = 0.1
_OUTLIER_SIZE = 10.0  # in ranges of the function

# The largest noise of Wang et al. (2023), appendix "Robustness to various noise level", and the
# largest minus the smallest value on the domain.
_FUNCTIONS: Mapping[str, tuple[Callable[[], SyntheticProblem], float, float]] = {
    "hartmann6": (hartmann6, 0.1, 3.32),
    "branin": (branin, 5.0, 308.0),
    "rosenbrock6": (rosenbrock6, 5.0, 4.34e6),
}


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


def noisy_functions() -> dict[str, tuple[str, Callable[[], Problem]]]:
    """All noisy test functions.

    Returns:
        By name, a description and a function that makes the problem.
    """
    found = {}
    for name, (make, deviation, extent) in _FUNCTIONS.items():
        kinds = {
            "gaussian": (f"normal noise of deviation {deviation:g}", _gaussian(deviation)),
            "student": (f"Student-t noise (2 d.o.f.) of scale {deviation:g}", _student(deviation)),
            "outliers": ("10 % outliers of 10 times the range", _outliers(extent)),
        }
        for kind, (description, noise) in kinds.items():
            key = f"{name}-{kind}"
            found[key] = (f"{name} with {description}", _maker(key, make, noise))
    return found


def _maker(key: str, make: Callable[[], SyntheticProblem], noise: Noise) -> Callable[[], Problem]:
    def noisy() -> Problem:
        exact = make()
        return NoisyProblem(**{**vars(exact), "name": key, "noisy": True, "noise": noise})

    return noisy


def _gaussian(deviation: float) -> Noise:
    return lambda rng: float(rng.normal(scale=deviation))


def _student(scale: float) -> Noise:
    return lambda rng: float(scale * rng.standard_t(2))


def _outliers(extent: float) -> Noise:
    def noise(rng: np.random.Generator) -> float:
        is_outlier, sign = rng.random() < _OUTLIER_SHARE, rng.choice([-1.0, 1.0])
        return float(is_outlier * sign * _OUTLIER_SIZE * extent)

    return noise
