"""Test functions of which only the order of the evaluated points is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.functions import FUNCTIONS, Function
from botorch_popbo.benchmarks.problems.synthetic import SyntheticProblem


@dataclass(frozen=True, kw_only=True)
class RankOnlyProblem(SyntheticProblem):
    """Observes where a point stands among those before it, and nothing else.

    The observation is a label: one less than that of the best or one more than that of the worst
    point, or halfway between the two points that it stands between. So labels are in the order of
    the function, and whoever is told them knows that order and no more. After some fifty points
    between the same two, rounding makes labels equal.
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


def rank_only_functions() -> dict[str, tuple[str, Callable[[], Problem]]]:
    """All test functions of which only the order is told.

    Returns:
        By name, a description and a function that makes the problem.
    """
    return {
        f"{name}-ranks": (
            f"{name}, told only the order of the points",
            partial(_make, f"{name}-ranks", function),
        )
        for name, function in FUNCTIONS.items()
    }


def _make(key: str, function: Function) -> Problem:
    return RankOnlyProblem(**{**vars(function.make()), "name": key})
