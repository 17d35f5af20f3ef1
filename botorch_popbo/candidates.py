"""A list of points in place of a space."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from reprlib import repr as shortened
from statistics import median
from typing import Self

import numpy as np
import torch
from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._plain import Value, plain
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.space import Parameter, Space, is_number

Row = dict[str, Value]


class Candidates(Space):
    """A list of points, which are the only ones that may be suggested.

    Numbers are searched on a logarithmic scale if their median is nearer to its middle than to the
    plain one; texts and truth values have no order. An empty cell among numbers lies in the middle
    of them, one among texts is a text of its own; where no candidate has one, no point may have
    one. Texts of a column that are all different are names, which tell nothing, unless there is no
    other column.

    Args:
        rows: Dictionaries, or a data frame. A name that is missing, ``None``, NaN and an empty text
            are empty cells. A point that is listed twice counts once.

    Attributes:
        rows: The different points by their places, as they were given but for empty cells, which
            are ``None``.
        candidates: The same as points of the space, ``n x d``.

    Warns:
        InputDataWarning: If a dictionary lacks a name that another one has, or if all numbers of a
            column are texts.

    Raises:
        InputDataError: If there are fewer than two points, if a column holds numbers and texts or
            something else, or if two points differ in names and empty cells only.
    """

    candidates: Tensor

    def __init__(self, rows: Value) -> None:
        given = _read(rows)
        self._names = dict.fromkeys(name for row in given for name in row)
        places = range(len(given), 0, -1)  # of which the first one is named
        if lacks := {n: i for i in places for n in self._names if n not in given[i - 1]}:
            each = ", ".join(f"{name!r} in candidate {i}" for name, i in lacks.items())
            text = f"There is no {each}. An empty cell is assumed; write None if that is meant."
            warnings.warn(text, InputDataWarning, stacklevel=3)
        rows = [self.row(row) for row in given]
        columns = {name: [row[name] for row in rows] for name in self._names}
        for name, cells in columns.items():
            _check(name, [cell for cell in cells if cell is not None])
        self._empty = {name for name, cells in columns.items() if None in cells}
        varied = {name: cells for name, cells in columns.items() if len({*cells}) > 1}
        telling = {name: cells for name, cells in varied.items() if not _are_names(cells)}
        if not varied:
            raise InputDataError("List at least two different candidates, dictionaries of values.")
        super().__init__({n: _parameter(cells) for n, cells in (telling or varied).items()})
        self.rows: dict[tuple[float, ...], Row] = {}
        for row in rows:
            if self.rows.setdefault(tuple(self.encode(row).tolist()), row) != row:
                raise InputDataError(
                    f"{row} differs from another candidate in names and empty cells only. Add a "
                    "column that tells them apart."
                )
        self.candidates = torch.tensor([*self.rows], dtype=torch.double)

    def row(self, cells: Mapping[str, Value]) -> Row:
        """All cells, of which some may be missing."""
        return {name: _cell(cells.get(name)) for name in self._names}

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
            raise InputDataError(f"No candidate has all fixed values of {[*fixed]}.")
        return part

    def encode(self, values: Mapping[str, Value]) -> Tensor:
        """See the base class; numbers may be others than those of candidates.

        Raises:
            InputDataError: If a cell is none of its column.
        """
        places, name = [], ""
        try:
            for name, parameter in self.parameters.items():
                cell, is_range = _cell(values.get(name)), parameter.choices is None
                is_empty = is_range and cell is None and name in self._empty
                if is_range and not (is_empty or is_number(cell)):
                    raise ValueError("not a number")
                places.append(parameter.middle if is_empty else parameter.place(cell))
        except ValueError as error:
            raise InputDataError(f"{name} is {values.get(name)!r}, {error}.") from None
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
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        kinds = "dictionaries of values by name, a data frame or the path of a CSV file"
        raise InputDataError(f"Candidates must be {kinds}; got {shortened(rows)}.")
    return [*rows]


def _cell(value: Value) -> Value:
    """A value, or ``None`` for an empty cell."""
    value = plain(value)
    return None if value == "" or (isinstance(value, float) and math.isnan(value)) else value


def _check(name: str, cells: Sequence[Value]) -> None:
    """Refuse a column of several kinds of values, and warn of numbers as text."""
    kinds = {"number" if is_number(cell) else type(cell): shortened(cell) for cell in cells}
    if len(kinds) > 1 or not kinds.keys() <= {"number", str, bool}:
        one_kind = "texts, finite numbers or truth values alone"
        raise InputDataError(f"{name}: use {one_kind}, not {' and '.join(kinds.values())}.")
    with suppress(ValueError):
        if str in kinds and all(map(math.isfinite, map(float, cells))):
            text = "holds numbers as text; convert them, or pass the path of the CSV file"
            warnings.warn(f"{name} {text}.", InputDataWarning, stacklevel=4)


def _are_names(cells: Sequence[Value]) -> bool:
    return all(isinstance(cell, str) for cell in cells) and len({*cells}) == len(cells)


def _parameter(cells: Sequence[Value]) -> Parameter:
    """What a column of candidates is searched as."""
    different = [*dict.fromkeys(cells)]
    numbers = [float(cell) for cell in different if is_number(cell)]
    if len(numbers) < 2:
        return Parameter.of_choices(different, is_ordered=False)
    low, high, middle = min(numbers), max(numbers), median(numbers)
    share = (middle - low) / (high - low)
    of_log = math.log(middle / low) / math.log(high / low) if low > 0.0 else math.inf
    return Parameter(low, high, is_log=abs(of_log - 0.5) < abs(share - 0.5))


def mixtures(
    parts: Mapping[str, tuple[float, float]],
    total: float,
    step: float,
    at_most: int | None = None,
    number: int = 20_000,
) -> list[Row]:
    """Recipes of parts that make a whole, in steps of a balance, as candidates.

    They are drawn at random. If there are at most a few thousand, nearly all of them are found.
    Leave out those that another rule forbids.

    Args:
        parts: The least and the largest amount of each part, by its name.
        total: What they sum to, in the same unit.
        step: What amounts are multiples of, above the least one.
        at_most: How many parts may be above their least amount; by default all.
        number: How many recipes are drawn; those that differ are listed.

    Returns:
        The recipes, in random order that is always the same.

    Raises:
        InputDataError: If no recipe is found, as the amounts leave no room or the steps do not fit.
    """
    if not isinstance(parts, Mapping):
        raise InputDataError(f"Parts are {{name: (least, largest)}}, not {parts!r}.")
    low, high = np.array([*parts.values()], dtype=float).T
    size, units = len(parts), round((total - low.sum()) / step) if step > 0 else 0
    if abs(low.sum() + step * units - total) > 1e-6 * abs(step):
        raise InputDataError(f"Steps of {step:g} above the least amounts do not lead to {total:g}.")
    above, chance = min(at_most or size, size), np.random.default_rng(0)
    # Bars cut a row of units into the shares of the parts that are above their least amount.
    bars = np.sort(chance.integers(0, max(units, 0) + 1, (number, above - 1)))
    which = chance.permuted(np.tile(np.arange(size), (number, 1)), axis=1)[:, :above]
    shares = np.zeros((number, size))
    np.put_along_axis(shares, which, np.diff(bars, prepend=0, append=units), axis=1)
    recipes = (low + step * shares).round(10)
    fits = recipes[((low <= recipes) & (recipes <= high)).all(-1)]
    if not len(fits):
        raise InputDataError(f"No amounts of {[*parts]} within their limits sum to {total:g}.")
    different = dict.fromkeys(map(tuple, fits.tolist()))
    return [dict(zip(parts, recipe, strict=True)) for recipe in different]


def points_where(
    space: Mapping[str, Value], rule: Callable[[Row], bool], number: int = 10_000
) -> list[Row]:
    """Points of a space that keep a rule, such as a linear inequality, as candidates.

    Args:
        space: What each parameter may be, by its name; see :data:`~botorch_popbo.space.Notation`.
        rule: Whether a point, a dictionary of values by name, may be suggested.
        number: How many points of a quasi-random sequence are drawn; those that keep the rule are
            listed.

    Returns:
        The points.

    Raises:
        InputDataError: If none of them keeps the rule, or one lacks what it asks for.

    Example:
        >>> shares = {"water": (0.0, 80.0), "acid": (0.0, 80.0)}
        >>> Optimizer(points_where(shares, lambda p: p["water"] + 2 * p["acid"] <= 100))
    """
    read = Space.read(space)
    try:
        found = [*filter(rule, map(read.decode, read.draw(number, 0)))]
    except KeyError as error:
        raise InputDataError(f"The rule asks for {error}, not for {[*read.names]}.") from error
    if not found:
        raise InputDataError(f"None of {number} points of the space meets the rule.")
    return found
