"""A list of points in place of a space."""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Self

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo._plain import Value, plain
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.space import Parameter, Space, is_number

Row = dict[str, Value]


class Candidates(Space):
    """Points of which no other one is suggested.

    Numbers are searched on a logarithmic scale if their median is nearer to its middle than to the
    plain one; texts and truth values have no order. An empty cell among numbers lies in the middle
    of them, one among texts is a text of its own. Texts of a column that are all different are
    names, which tell nothing, unless there is no other column.

    Args:
        rows: Dictionaries, or a data frame. A name that is missing, ``None``, NaN and an empty text
            are empty cells. A point that is listed twice counts once.

    Attributes:
        rows: The different points by their places, as they were given but for empty cells, which
            are ``None``.
        candidates: The same as points of the space, ``n x d``.

    Raises:
        InputDataError: If there are fewer than two points, if a column holds numbers and texts, or
            if two points differ in names and empty cells only.
    """

    candidates: Tensor

    def __init__(self, rows: Value) -> None:
        given = _read(rows)
        self._names = dict.fromkeys(name for row in given for name in row)
        rows = [self._row(row) for row in given]
        columns = {name: [row[name] for row in rows] for name in self._names}
        varied = {name: cells for name, cells in columns.items() if len({*cells}) > 1}
        telling = {name: cells for name, cells in varied.items() if not _are_names(cells)}
        if not varied:
            raise InputDataError("List at least two different candidates, dictionaries of values.")
        super().__init__({n: _parameter(n, cells) for n, cells in (telling or varied).items()})
        self.rows: dict[tuple[float, ...], Row] = {}
        for row in rows:
            if self.rows.setdefault(tuple(self.encode(row).tolist()), row) != row:
                raise InputDataError(
                    f"{row} differs from another candidate in names and empty cells only. Add a "
                    "column that tells them apart."
                )
        self.candidates = torch.tensor([*self.rows], dtype=torch.double)

    def _row(self, cells: Mapping[str, Value]) -> Row:
        return {name: _cell(cells.get(name)) for name in self._names}

    def read_cells(self, cells: Mapping[str, Value]) -> Row:
        """A row of which cells may be missing, checked.

        Raises:
            InputDataError: If a cell is none of its column.
        """
        for name, parameter in self.parameters.items():
            try:
                _place(parameter, _cell(cells.get(name)))
            except (TypeError, ValueError) as error:
                raise InputDataError(f"{name} is {cells.get(name)!r}, {error}.") from None
        return self._row(cells)

    @property
    def names(self) -> set[str]:
        """The names of all columns."""
        return {*self._names}

    @property
    def num_points(self) -> float:
        """The number of candidates."""
        return len(self.candidates)

    def at_places(self, fixed: Mapping[str, float]) -> Self:
        """See the base class.

        Raises:
            InputDataError: If no candidate has these values.
        """
        part = super().at_places(fixed)
        part.candidates = self.candidates[(part.placed(self.candidates) == self.candidates).all(-1)]
        if not part.num_points:
            raise InputDataError(f"No candidate has all of {[*fixed]} as they are fixed.")
        return part

    def encode(self, values: Mapping[str, Value]) -> Tensor:
        """See the base class; numbers may be others than those of candidates."""
        each = self.parameters.items()
        places = [_place(parameter, _cell(values.get(name))) for name, parameter in each]
        return torch.tensor(places, dtype=torch.double)

    def decode(self, x: Tensor) -> Row:
        """The candidate at a point of shape ``d``."""
        return dict(self.rows[tuple(x.tolist())])

    def draw(self, number: int, seed: int) -> Tensor:
        """Candidates in random order, again and again, ``n x d``; more begin with the same."""
        order = torch.randperm(len(self.candidates), generator=torch.Generator().manual_seed(seed))
        return self.candidates[order.repeat(-(-number // len(order)))[:number]]

    def contains(self, X: Tensor) -> Tensor:
        """Which points ``n x d`` are candidates."""
        return is_row_of(X, self.candidates)

    def to_json(self) -> list[Row]:  # type: ignore[override]  # as it is written
        """The list."""
        return [*self.rows.values()]


def _read(rows: Value) -> list[Mapping[str, Value]]:
    if hasattr(rows, "iterrows"):
        return [*rows.astype(object).mask(rows.isna(), None).to_dict("records")]
    if not all(isinstance(row, Mapping) for row in rows):
        raise InputDataError(f"Candidates are dictionaries of values by name; got {rows!r}.")
    return [*rows]


def _cell(value: Value) -> Value:
    """A value, or ``None`` for an empty cell."""
    value = plain(value)
    is_empty = isinstance(value, float) and math.isnan(value)
    return None if is_empty or value == "" else value


def _place(parameter: Parameter, cell: Value) -> float:
    """The number that stands for a cell.

    Raises:
        ValueError: If a column has no such value.
    """
    if cell is None and parameter.choices is None:
        return parameter.middle
    place = parameter.place(cell)
    if not math.isfinite(place):
        raise ValueError("not a number")
    return place


def _are_names(cells: Sequence[Value]) -> bool:
    return all(isinstance(cell, str) for cell in cells) and len({*cells}) == len(cells)


def _parameter(name: str, cells: Sequence[Value]) -> Parameter:
    """What a column of candidates is searched as."""
    different = [*dict.fromkeys(cells)]
    kinds = {type(cell) for cell in different} - {type(None)}
    if kinds <= {str} or kinds <= {bool}:
        return Parameter.of_choices(different, is_ordered=False)
    numbers = [float(cell) for cell in different if is_number(cell)]
    if len(numbers) + (None in different) < len(different):
        raise InputDataError(f"{name}: cells are all texts, numbers or truth values; {different}.")
    if len(numbers) < 2:  # one, and empty cells
        return Parameter.of_choices(different, is_ordered=False)
    low, high, middle = min(numbers), max(numbers), median(numbers)
    share = (middle - low) / (high - low)
    of_log = math.log(middle / low) / math.log(high / low) if low > 0.0 else math.inf
    return Parameter(low, high, is_log=abs(of_log - 0.5) < abs(share - 0.5))
