"""A table of evaluations on a grid, and its npz file, whose rows are in any order."""

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.settings import Parameters

#: The values of one parameter, in index order.
Choices = tuple[bool | int | float | str, ...]

Array = npt.NDArray[np.float64]
Arrays = dict[str, npt.NDArray[Any]]
#: The length expected of each axis of an array; None stands for any length.
Shape = tuple[int | None, ...]


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
        means: Array = self.values.mean(axis=-1) if several else self.values
        return means


def read_arrays(
    path: Path, shapes: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None
) -> Arrays:
    """Read arrays by name, some only if they are there.

    Raises:
        UsageError: If the file is unreadable, or lacks an array of the right shape.
    """
    wanted = {**shapes, **(optional or {})}
    try:
        # Opened as an archive, because numpy.load returns a bare array for other files.
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in wanted if name in archive}
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} cannot be read as an npz file: {error}") from None
    for name, shape in wanted.items():
        if name in arrays:
            found = arrays[name].shape
            lengths = zip(shape, found, strict=False)
            if len(found) != len(shape) or any(n not in (None, actual) for n, actual in lengths):
                text = "x".join("any" if length is None else str(length) for length in shape)
                raise UsageError(f"{path}: array {name!r} has shape {found}, expected {text}")
        elif name in shapes:
            raise UsageError(f"{path} has no array {name!r}")
    return arrays


def find_file(data: Path | None, name: str, help_text: str) -> Path:
    """The file of a table in a folder.

    Raises:
        UsageError: If it is not there; ``help_text`` says what it holds and how to get it.
    """
    if data is None:
        raise UsageError(
            f"{name} is needed: pass its folder with --data or set POPBO_DATA.\n{help_text}"
        )
    if not (data / name).is_file():
        raise UsageError(
            f"there is no {name} in {data}: put it there, or pass another folder with "
            f"--data or POPBO_DATA.\n{help_text}"
        )
    return data / name


def on_grid(
    arrays: Arrays, names: Iterable[str], lengths: tuple[int, ...], path: Path
) -> dict[str, Array]:
    """Put rows where 'X_index' says: the first axis of arrays becomes the axes of a grid.

    Raises:
        UsageError: If a cell is missing, repeated or outside the grid, or an array does not hold
            one finite float, or several, for each row.
    """
    indices, grids = arrays["X_index"], {}
    is_whole = indices.dtype.kind in "iu"
    in_grid = is_whole and bool(((indices >= 0) & (indices < lengths)).all())
    cells = np.ravel_multi_index(tuple(indices.T), lengths) if in_grid else np.empty(0, int)
    if not np.array_equal(np.sort(cells), np.arange(np.prod(lengths))):
        raise UsageError(f"{path}: 'X_index' does not hold every configuration once")
    for name in names:
        values = arrays[name]
        if values.dtype.kind != "f" or len(values) != len(cells):
            raise UsageError(f"{path}: array {name!r} is not one float for each row")
        if not np.isfinite(values).all():
            raise UsageError(f"{path}: array {name!r} holds values that are not finite")
        # The mean of float32 would lose the digits that tell good configurations apart.
        sorted_values = values[np.argsort(cells)].astype(np.float64)
        grids[name] = sorted_values.reshape(*lengths, *values.shape[1:])
    return grids
