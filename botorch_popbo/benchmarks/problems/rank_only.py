"""Test functions of which only the order of the evaluated points is told."""

from collections.abc import Sequence
from dataclasses import dataclass

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.problems.functions import Function, Variants, variants
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


def _make(key: str, function: Function) -> Problem:
    return RankOnlyProblem(**{**vars(function.make()), "name": key})


def rank_only_functions() -> Variants:
    """See :func:`~botorch_popbo.benchmarks.problems.functions.variants`."""
    return variants("ranks", "told only the order of the points", _make)
