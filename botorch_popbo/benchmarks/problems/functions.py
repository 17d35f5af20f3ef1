"""The paper's test functions by name, as the problems that are made of them see them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.synthetic import (
    SyntheticProblem,
    branin,
    hartmann6,
    rosenbrock2,
    rosenbrock6,
)

#: By name, a description and a function that makes the problem.
Variants = dict[str, tuple[str, Callable[[], Problem]]]


@dataclass(frozen=True)
class Function:
    """A test function.

    Attributes:
        make: Makes the noise-free problem.
        deviations: The deviations of the noise that Wang et al. (2023), appendix "Robustness to
            various noise level", adds, in the unit of the function.
        extent: The largest minus the smallest value on the domain.
    """

    make: Callable[[], SyntheticProblem]
    deviations: tuple[float, ...]
    extent: float


FUNCTIONS: Mapping[str, Function] = {
    "hartmann6": Function(hartmann6, (0.075, 0.1), 3.32),
    "branin": Function(branin, (2.0, 5.0), 308.0),
    "rosenbrock6": Function(rosenbrock6, (5.0,), 4.34e6),
    "rosenbrock2": Function(rosenbrock2, (2.0, 5.0), 1.1026e6),
}


def variants(suffix: str, description: str, make: Callable[[str, Function], Problem]) -> Variants:
    """Make problems of all functions.

    Args:
        suffix: Follows the function's name in the problem's.
        description: Follows the function's name in the problem's description.
        make: Makes a problem from its name and the function.

    Returns:
        One for each function.
    """
    return {
        f"{name}-{suffix}": (f"{name}, {description}", partial(make, f"{name}-{suffix}", function))
        for name, function in FUNCTIONS.items()
    }
