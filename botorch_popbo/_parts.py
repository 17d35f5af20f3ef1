"""What some parts of an evaluation say of the whole: folds, epochs, seeds, instances.

Parts of one name are comparable across evaluations, whatever their level. Workers load this, and
neither torch nor models.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

#: Whether the whole is the mean of its parts, or the last of them.
Summary = Literal["mean", "last"]
#: A number for each objective, larger being better.
Outcome = Sequence[float]
#: The parts of an evaluation, by name, in order.
Parts = Mapping[Hashable, Outcome]

# An evaluation whose chance is larger is never ended.
_ENOUGH = 0.25
# What a part brings lately: of so many evaluations, as if half a best one had been found before in
# two and a half.
_NUM_LATELY, _NUM_BEST_BEFORE, _NUM_WHOLE_BEFORE = 10, 0.5, 2.5
# The best whole evaluations show how much the rest may add; the best of these, how much it does.
_NUM_RIVALS, _NUM_NEAREST = 6, 3


def check_summary(summary: str) -> None:
    """Refuse what is neither; raises ValueError."""
    if summary not in get_args(Summary):
        raise ValueError(f'parts must be "mean" or "last", not {summary!r}.')


class Foreseen(NamedTuple):
    """What an evaluation would have been as a whole.

    Attributes:
        values: What to expect of each objective.
        variances: Variances of the values; infinite if no whole evaluation has the same parts.
        chance: The chance that no whole evaluation is as good in all objectives; NaN if fewer than
            two have the same parts.
    """

    values: list[float]
    variances: list[float]
    chance: float


@dataclass(frozen=True)
class Rivals:
    """Whole evaluations, beside which the parts of another one say what it would have been.

    An evaluation is expected to be what its parts are, and what the rest added to the same parts of
    the best. How differently it added to them is the error.

    Attributes:
        summary: Whether an evaluation is the mean of its parts, or the last of them.
        parts: The parts of each, possibly none.
        values: The outcome of each, larger being better; so are parts.
        rate: The chance that a part of a new evaluation brings a new best one.
    """

    summary: Summary
    parts: Sequence[Parts]
    values: Sequence[Outcome]
    rate: float = math.inf

    @classmethod
    def among(cls, summary: Summary, evaluations: Sequence[tuple[Parts, Outcome | None]]) -> Self:
        """The whole ones among evaluations.

        Args:
            summary: Whether an evaluation is the mean of its parts, or the last of them.
            evaluations: In the order in which they began, the parts of each, and its outcome if it
                is whole.

        Returns:
            They, and what a part has brought lately.

        Raises:
            ValueError: If the summary is neither.
        """
        check_summary(summary)
        whole = [(parts, value) for parts, value in evaluations if value is not None]
        lately = evaluations[-_NUM_LATELY:]
        values = [value for _, value in whole]
        num_before = len(values) - sum(value is not None for _, value in lately)
        numbers = _numbers(values)
        # Those that none before is as good as.
        found = _NUM_BEST_BEFORE + sum(
            not (numbers[:place] >= numbers[place]).all(-1).any()
            for place in range(num_before, len(values))
        )
        spent = sum(max(len(parts), 1) for parts, _ in lately)
        most = max((len(parts) for parts, _ in whole), default=1)
        rate = found / (spent + _NUM_WHOLE_BEFORE * most)
        return cls(summary, [parts for parts, _ in whole], values, rate)

    @cached_property
    def _numbers(self) -> NDArray[np.float64]:
        """The outcomes, ``n x c``."""
        return _numbers(self.values)

    @cached_property
    def _from_the_best(self) -> list[list[int]]:
        """The evaluations by each objective, the best first."""
        return (-self._numbers).argsort(axis=0, kind="stable").T.tolist()

    def foresee(self, parts: Parts) -> Foreseen:
        """What an evaluation of at least one part would have been."""
        if self.summary == "last":
            parts = dict([[*parts.items()][-1]])
        expected, scales, number = self.of([*parts.values()]), [], 0
        for column, order in enumerate(self._from_the_best):
            shared = (row for row in order if parts.keys() <= self.parts[row].keys())
            rows = [*islice(shared, _NUM_RIVALS)]
            if number := len(rows):
                earlier = [self.of([self.parts[r][name] for name in parts])[column] for r in rows]
                added, scale = _added(self._numbers[rows, column] - earlier)
                expected[column] += added
                scales.append(scale)
        if not number:
            return Foreseen(expected.tolist(), [math.inf] * len(expected), math.nan)
        freedom = max(number - 1, 1)
        drawn = expected + np.array(scales) * _draws(len(scales), freedom)
        chance = float(1.0 - (self._numbers[:, None] >= drawn).all(-1).any(0).mean())
        # The variance of Student's t distribution; below three degrees it has none.
        variances = np.array(scales) ** 2 * max(freedom, 3) / (max(freedom, 3) - 2)
        chance = chance if number > 1 else math.nan
        return Foreseen(expected.tolist(), variances.tolist(), chance)

    def worth(self, parts: Parts) -> float:
        """What the rest of an evaluation is worth, by what it costs; below one it is ended.

        It is the chance of a new best evaluation, by what the same number of parts of new ones may
        bring, though a quarter is enough.

        Args:
            parts: At least one part.

        Returns:
            The worth; NaN if it is unknown, or no whole evaluation had more parts.
        """
        left = max((len(other) for other in self.parts), default=0) - len(parts)
        if left <= 0:
            return math.nan
        return self.foresee(parts).chance / min(_ENOUGH, self.rate * left)

    def of(self, parts: Sequence[Outcome]) -> NDArray[np.float64]:
        """The value of a sequence of parts, for each objective."""
        rows = _numbers(parts)
        return rows.mean(0) if self.summary == "mean" else rows[-1]


def _numbers(rows: Sequence[Outcome]) -> NDArray[np.float64]:
    """A matrix of numbers whose squares are numbers."""
    return np.clip(np.array(rows, dtype=float), -1e150, 1e150)


def _added(added: NDArray[np.float64]) -> tuple[float, float]:
    """What the rest adds to one objective, and the scale of the error.

    Args:
        added: What it added to the best whole evaluations, the best first.
    """
    nearest = min(len(added), _NUM_NEAREST)
    expected = added[:nearest].mean()
    if len(added) == 1:  # it may add as much again, or nothing
        return expected, abs(expected)
    # The mean of the nearest is nearer to these than to others.
    freedom = nearest - 1 + (len(added) - nearest) * (1.0 + 1.0 / nearest)
    squares = float(((added - expected) ** 2).sum())
    return expected, math.sqrt(squares / freedom * (1.0 + 1.0 / nearest))


@cache
def _draws(dim: int, freedom: int) -> NDArray[np.float64]:
    """Quasi-random draws of Student's t distribution, ``256 x dim``."""
    from scipy.special import stdtrit
    from scipy.stats.qmc import Sobol

    return stdtrit(freedom, Sobol(dim, seed=0).random(256))
