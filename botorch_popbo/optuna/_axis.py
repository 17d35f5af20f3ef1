"""One parameter of Optuna as a column of numbers."""

import math
from typing import Any, cast

from botorch.exceptions import InputDataError
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from botorch_popbo.optim._maximize import MAX_LISTED


class Axis:
    """The column of a parameter: its scale is linear or logarithmic, a category is its index.

    Args:
        distribution: What Optuna knows of the parameter.

    Raises:
        InputDataError: If the width of a range is no number.

    Attributes:
        values: The numbers of the column, rising; ``None`` if it is searched like a range.
        low: The smallest number.
        high: The largest number.
        is_categorical: Whether the numbers have no order.
    """

    def __init__(self, distribution: BaseDistribution) -> None:
        self.distribution = distribution
        if isinstance(distribution, FloatDistribution):
            _check_width(distribution)
        self.is_categorical = isinstance(distribution, CategoricalDistribution)
        self.values: list[float] | None = None
        if isinstance(distribution, CategoricalDistribution):
            self.values = _told_apart(distribution)
        elif self._size <= MAX_LISTED:
            self.values = [self.place(self._grid(index)) for index in range(int(self._size))]
        if self.values is not None:
            self.low, self.high = self.values[0], self.values[-1]
        else:
            self.low, self.high = self.place(self._range.low), self.place(self._range.high)

    @property
    def is_relaxed(self) -> bool:
        """Whether it is searched like a range, but is none."""
        return self.values is None and self._range.step is not None

    @property
    def middle(self) -> float:
        """A number in the middle."""
        if self.values is None:
            return (self.low + self.high) / 2.0
        return self.values[len(self.values) // 2]

    def place(self, value: Any) -> float:
        """The number that stands for a value."""
        internal = float(self.distribution.to_internal_repr(value))
        return math.log(internal) if self._is_log else internal

    def value(self, place: float) -> Any:
        """The value that a number stands for, rounded to the nearest there is."""
        if self.is_categorical:
            return self.distribution.to_external_repr(round(place))
        number = math.exp(place) if self._is_log else place
        if self._range.step is not None:
            return self._grid(round((number - self._range.low) / self._range.step))
        return min(max(number, self._range.low), self._range.high)

    def rounded(self, place: float) -> float:
        """The nearest number that stands for a value."""
        return self.place(self.value(place))

    def at(self, unit: float) -> float:
        """The number at a place of the unit interval, all values being equally likely.

        On a logarithmic grid they are likely as the interval that is rounded to each is long.
        """
        if self.is_categorical and self.values is not None:
            return self.values[min(int(unit * len(self.values)), len(self.values) - 1)]
        low, high = self._range.low, self._range.high
        margin = 0.5 * (self._range.step or 0.0)
        start, end = low - margin, high + margin
        if self._is_log:
            start, end = math.log(start), math.log(end)
        return self.rounded(start + unit * (end - start))

    @property
    def _range(self) -> FloatDistribution | IntDistribution:
        return cast(FloatDistribution | IntDistribution, self.distribution)

    @property
    def _is_log(self) -> bool:
        return not self.is_categorical and self._range.log

    @property
    def _size(self) -> float:
        """The number of values of a range."""
        if self._range.step is None:
            return math.inf
        return round((self._range.high - self._range.low) / self._range.step) + 1

    def _grid(self, index: float) -> float:
        """The value at a place of the grid, or at the end that is nearer."""
        inside = min(max(int(index), 0), int(self._size) - 1)
        value = self._range.low + inside * (self._range.step or 0)
        return min(value, self._range.high)


def has_values(distribution: BaseDistribution) -> bool:
    """Whether a parameter has several values that Optuna tells apart."""
    if isinstance(distribution, CategoricalDistribution):
        return len(_told_apart(distribution)) > 1
    return not distribution.single()


def _told_apart(distribution: CategoricalDistribution) -> list[float]:
    """The places of choices; Optuna keeps the first of equal ones, such as 1 and True."""
    choices = enumerate(distribution.choices)
    return [float(index) for index, one in choices if distribution.to_internal_repr(one) == index]


def _check_width(distribution: FloatDistribution) -> None:
    low, high = distribution.low, distribution.high
    if math.isinf(high - low):
        raise InputDataError(
            f"The width of a range from {low:g} to {high:g} is more than a number holds. Give it "
            "nearer ends."
        )
