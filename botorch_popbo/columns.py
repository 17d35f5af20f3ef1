"""What the columns of a point may be, and points between them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch.models.transforms.input import InputTransform
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo._plain import plain
from botorch_popbo.models.input_transforms import unit_cube

_SLACK = 1e-6  # of a range's width, for what was rounded to single precision


@dataclass(frozen=True)
class Column:
    """One column of a point: a range, whole numbers, or values in a list.

    A listed value is its place in the list, from 0. Use the class methods.

    Attributes:
        low: The smallest value.
        high: The largest value.
        is_discrete: Whether there are whole numbers only.
        is_categorical: Whether values have no order.
        values: What listed values are called, lists among them as tuples; ``None`` if there is no
            list.

    Raises:
        InputDataError: If the bounds or their difference are not finite, if the lower one is not
            below the upper one, or if fewer than two different values are listed.
    """

    low: float
    high: float
    is_discrete: bool = False
    is_categorical: bool = False
    values: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        if self.values is not None:
            object.__setattr__(self, "values", tuple(map(_kept, self.values)))
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputDataError(
                "Every lower bound must be finite and below its upper bound, but got "
                f"{self.low:g} and {self.high:g}."
            )
        if math.isinf(self.high - self.low):
            raise InputDataError(f"A range from {self.low:g} to {self.high:g} has no finite width.")

    @classmethod
    def continuous(cls, low: float, high: float) -> Self:
        """Any number in a range."""
        return cls(float(low), float(high))

    @classmethod
    def integer(cls, low: int, high: int) -> Self:
        """Whole numbers, both ends included."""
        own = cls.continuous(low, high)
        return cls(float(math.ceil(own.low)), float(math.floor(own.high)), is_discrete=True)

    @classmethod
    def ordered(cls, values: Sequence[Any]) -> Self:
        """Evenly spaced values, from one end to the other."""
        _check_values(values)
        return cls(0.0, len(values) - 1.0, is_discrete=True, values=tuple(values))

    @classmethod
    def categorical(cls, values: Sequence[Any]) -> Self:
        """Values without an order."""
        _check_values(values)
        return cls(0.0, len(values) - 1.0, True, is_categorical=True, values=tuple(values))

    @property
    def size(self) -> float:
        """The number of values; infinite for a range."""
        return self.high - self.low + 1.0 if self.is_discrete else math.inf

    def describe(self, value: float) -> Any:
        """What a value means: a listed value, a whole number, or itself."""
        if self.values is not None:
            return self.values[round(value)]
        # Not cut off: what a search scaled to the unit cube and back may lack the last digit.
        return round(value) if self.is_discrete else value


class Columns:
    """The columns of a point by name, and the unit cube behind them.

    In the unit cube a discrete column is cut into as many equal parts as it has values.

    Args:
        columns: At least one column by name.

    Attributes:
        bounds: The smallest and largest values, a ``2 x d`` tensor in double precision.

    Raises:
        InputDataError: If there is no column, or if they or one of them is something else.
    """

    def __init__(self, columns: Mapping[str, Column]) -> None:
        if not isinstance(columns, Mapping):
            raise InputDataError(
                "A space is a dictionary of columns by name or a 2 x d tensor of bounds, not a "
                f"{type(columns).__name__}."
            )
        if not columns:
            raise InputDataError("There is no column. Name at least one.")
        self.by_name = dict(columns)
        for name, column in self.by_name.items():
            if not isinstance(name, str):  # in a saved search 1 and "1" would be the same
                raise InputDataError(f"A column is named by a text, not by {name!r}.")
            if not isinstance(column, Column):
                raise InputDataError(
                    f"{name} is {column!r}, but a column is made by Column.continuous, "
                    "Column.integer, Column.ordered or Column.categorical."
                )
        own = list(self.by_name.values())
        self.bounds = torch.tensor(
            [[c.low for c in own], [c.high for c in own]], dtype=torch.double
        )
        self.is_categorical = torch.tensor([c.is_categorical for c in own])
        self.size = torch.tensor([c.size for c in own], dtype=torch.double)

    @classmethod
    def from_bounds(cls, bounds: Tensor) -> Self:
        """Ranges called x1, x2, …, of a ``2 x d`` tensor.

        Raises:
            BotorchTensorDimensionError: If the shape is another one.
        """
        if bounds.ndim != 2 or bounds.shape[0] != 2:
            raise BotorchTensorDimensionError(
                f"Expected bounds of shape 2 x d, but got {tuple(bounds.shape)}."
            )
        pairs = enumerate(bounds.T.tolist(), start=1)
        return cls({f"x{place}": Column.continuous(*pair) for place, pair in pairs})

    def from_unit(self, unit: Tensor) -> Tensor:
        """Points ``... x d`` of the unit cube as points of the space."""
        low, high = self.bounds
        place = (unit * self.size).floor().minimum(self.size - 1.0).nan_to_num()
        points: Tensor = low + torch.where(self.size.isinf(), unit * (high - low), place)
        return points

    def to_unit(self, X: Tensor) -> Tensor:
        """Points ``... x d`` in the unit cube, discrete ones in the middle of their parts."""
        low, high = self.bounds
        return torch.where(self.size.isinf(), (X - low) / (high - low), (X - low + 0.5) / self.size)

    def check(self, X: Tensor) -> None:
        """Check that discrete columns hold their values, and ranges nothing beyond their ends.

        Args:
            X: Points, a ``... x d`` tensor.

        Raises:
            InputDataError: If one holds something else.
        """
        if X.shape[-1:] != self.size.shape:
            return  # of another space, for which others have a message
        X = X.detach().double().cpu()
        slack = torch.where(self.size.isinf(), _SLACK * (self.bounds[1] - self.bounds[0]), 0.0)
        is_value = (self.bounds[0] - slack <= X) & (self.bounds[1] + slack >= X)
        is_value &= self.size.isinf() | (X.floor() == X)
        wrong = (~is_value & X.isfinite()).nonzero()
        if len(wrong):
            name, column = [*self.by_name.items()][int(wrong[0, -1])]
            numbers = "whole numbers" if column.is_discrete else "numbers"
            raise InputDataError(
                f"{name} holds {numbers} from {column.low:g} to {column.high:g}, but was given "
                f"{float(X[tuple(wrong[0])])!r}."
            )

    def draw(self, number: int, seed: int) -> Tensor:
        """Quasi-random points of the space, ``n x d``; more of them begin with the same."""
        unit = torch.stack([torch.zeros_like(self.size), torch.ones_like(self.size)])
        drawn: Tensor = draw_sobol_samples(unit, number, 1, seed=seed % 2**31).squeeze(1)
        return self.from_unit(drawn)

    def input_transform(self) -> InputTransform:
        """Numbers to the unit interval, categories to one column each."""
        numeric = (~self.is_categorical).nonzero().squeeze(-1).tolist()
        categorical = self.is_categorical.nonzero().squeeze(-1).tolist()
        categories = {column: range(int(self.size[column])) for column in categorical}
        return unit_cube(self.bounds, numeric, categories)

    @property
    def encoded_dim(self) -> int:
        """The number of columns that the input transform makes."""
        return int(torch.where(self.is_categorical, self.size, 1.0).sum())

    def describe(self, x: Tensor) -> dict[str, Any]:
        """A point of shape ``d`` by the names of its columns."""
        columns = zip(self.by_name.items(), x.tolist(), strict=True)
        return {name: column.describe(value) for (name, column), value in columns}

    def to_json(self) -> dict[str, dict[str, Any]]:
        """What can be written as JSON, if listed values can."""
        return {name: asdict(column) for name, column in self.by_name.items()}

    @classmethod
    def from_json(cls, content: Mapping[str, Mapping[str, Any]]) -> Self:
        """The columns of which :meth:`to_json` told."""
        return cls({name: Column(**fields) for name, fields in content.items()})


def _kept(value: Any) -> Any:
    """A listed value as it is after a round trip through JSON, too."""
    return tuple(map(_kept, value)) if isinstance(value, list | tuple) else plain(value)


def _check_values(values: Sequence[Any]) -> None:
    if isinstance(values, set | frozenset):  # a value is its place, also in other processes
        raise InputDataError(f"A set has no order that lasts. Write a list of {values!r}.")
    if len(values) < 2 or len(set(map(str, values))) < len(values):
        raise InputDataError(f"List at least two different values, not {list(values)!r}.")
