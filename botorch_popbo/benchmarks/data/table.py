"""Tables of evaluations, on a grid or in any places, and npz files, whose rows are in any order."""

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.settings import Parameters

if TYPE_CHECKING:
    from botorch_popbo.space import Space

#: The values of one parameter, in index order.
Choices = tuple[bool | int | float | str, ...]

Array = npt.NDArray[np.float64]
Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Table:
    """Values of every combination of choices.

    Attributes:
        choices: The choices of every parameter, by name.
        values: The value of every combination, with an axis for each parameter and, where there
            are several values, one more for these.
        measures: What else is known of every combination, by name; with an axis for each parameter.
    """

    choices: dict[str, Choices]
    values: Array
    measures: Mapping[str, Array] = field(default_factory=dict)

    def cell(self, parameters: Parameters) -> tuple[int, ...]:
        """A combination's place along the axis of each parameter.

        Raises:
            ValueError: If a value is not one of the choices.
        """
        return tuple(values.index(parameters[name]) for name, values in self.choices.items())

    @cached_property
    def means(self) -> Array:
        """The mean of the values of every combination, with an axis for each parameter."""
        several = self.values.ndim > len(self.choices)
        return self.values.mean(axis=-1) if several else self.values


@dataclass(frozen=True)
class Rows:
    """Values of points in any places, several of some; another point has those of the nearest.

    Attributes:
        space: The space of the points.
        points: Their places in the unit cube, ``n x d``; of categories the index.
        values: The values of each point, ``n`` arrays of any length; of a failure not a number.
        means: The mean of the successes of each point, or the worst of all if there are none.
    """

    space: "Space"
    points: Array
    values: npt.NDArray[np.object_]
    means: Array
    measures: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def of(
        cls, space: "Space", points: Sequence[Parameters], values: Sequence[Array], worst: float
    ) -> Self:
        """Points with the values of each; ``worst`` is the mean where all are failures."""
        several = np.empty(len(points), dtype=object)
        several[:] = values
        successes = [one[~np.isnan(one)] for one in values]
        means = np.array([one.mean() if len(one) else worst for one in successes])
        return cls(space, np.stack([_unit(space, point) for point in points]), several, means)

    def cell(self, parameters: Parameters) -> tuple[int, ...]:
        """The index of the nearest point: another category is as far as the end of a range."""
        offset = self.points - _unit(self.space, parameters)
        offset = np.where(self.space.is_categorical.numpy(), offset != 0, offset)
        return (int(np.square(offset).sum(axis=-1).argmin()),)


def _unit(space: "Space", parameters: Parameters) -> Array:
    low, high = space.bounds
    width = (high - low).where(~space.is_categorical, 1.0)
    return ((space.encode(parameters) - low) / width).numpy()


def read_arrays(path: Path, names: Iterable[str], optional: Iterable[str] = ()) -> Arrays:
    """Read arrays by name, some only if they are there.

    Raises:
        UsageError: If the file is unreadable, or lacks an array.
    """
    try:
        # Opened as an archive, because numpy.load returns a bare array for other files.
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
            found = {name: archive[name] for name in (*names, *optional) if name in archive}
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} cannot be read as an npz file: {error}") from None
    if missing := [name for name in names if name not in found]:
        raise UsageError(f"{path} has no array {', '.join(map(repr, missing))}")
    return found


def find_file(data: Path | None, name: str) -> Path:
    """The file of a table in a folder; UsageError if it is not there."""
    if data is None or not (data / name).is_file():
        where = "" if data is None else f" and is not in {data}"
        raise UsageError(
            f"{name} is needed{where}: pass its folder with --data or set POPBO_DATA; "
            "docs/examples/tables/README.md says how to make it"
        )
    return data / name


def on_grid(arrays: Arrays, name: str, lengths: tuple[int, ...], path: Path) -> Array:
    """Put rows where 'X_index' says: the first axis of an array becomes the axes of a grid.

    Raises:
        UsageError: If a cell is missing, repeated or outside the grid, or the array does not hold
            one finite float, or several, for each row.
    """
    indices, values = arrays["X_index"], arrays[name]
    try:
        cells = np.ravel_multi_index(tuple(indices.T), lengths)
    except (ValueError, TypeError):  # outside the grid, or no whole numbers
        cells = np.empty(0, int)
    if not np.array_equal(np.sort(cells), np.arange(np.prod(lengths))):
        raise UsageError(f"{path}: 'X_index' does not hold every configuration once")
    is_right = values.dtype.kind == "f" and len(values) == len(cells)
    if not is_right or not np.isfinite(values).all():
        raise UsageError(f"{path}: array {name!r} must hold finite floats, one or several per row")
    # The mean of float32 would lose the digits that tell good configurations apart.
    in_order = values[np.argsort(cells)].astype(np.float64)
    return in_order.reshape(*lengths, *values.shape[1:])
