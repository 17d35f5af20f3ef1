"""Read a table from an npz file, whose rows are the combinations of choices in any order."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data.table import Array
from botorch_popbo.benchmarks.errors import UsageError

#: The length expected of each axis of an array; None stands for any length.
Shape = tuple[int | None, ...]


@dataclass(frozen=True)
class TableFile:
    """A file's name, and what it holds and how to get it, for the message if there is none."""

    name: str
    help: str

    def read(
        self, data: Path | None, shapes: Mapping[str, Shape], optional: Mapping[str, Shape]
    ) -> dict[str, npt.NDArray[Any]]:
        """Read arrays by name from the file in the folder ``data``; some only if they are there.

        Raises UsageError if the file is missing, unreadable, or lacks an array of the right shape.
        """
        path = self.path(data)
        try:
            # Opened as an archive, because numpy.load returns a bare array for other files.
            with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in [*shapes, *optional] if name in archive}
        except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
            raise UsageError(f"{path} cannot be read as an npz file: {error}") from None
        for name, shape in {**shapes, **optional}.items():
            if name in arrays:
                _check_shape(arrays[name].shape, shape, name, path)
            elif name in shapes:
                raise UsageError(f"{path} has no array {name!r}")
        return arrays

    def path(self, data: Path | None) -> Path:
        """The file in the folder ``data``; raises UsageError if it is not there."""
        if data is None:
            raise UsageError(
                f"{self.name} is needed: pass its folder with --data or set POPBO_DATA.\n"
                f"{self.help}"
            )
        if not (data / self.name).is_file():
            raise UsageError(
                f"there is no {self.name} in {data}: put it there, or pass another folder with "
                f"--data or POPBO_DATA.\n{self.help}"
            )
        return data / self.name


def _check_shape(found: tuple[int, ...], shape: Shape, name: str, path: Path) -> None:
    fits = len(found) == len(shape) and all(
        length in (None, actual) for length, actual in zip(shape, found, strict=True)
    )
    if not fits:
        wanted = "x".join("any" if length is None else str(length) for length in shape)
        raise UsageError(f"{path}: array {name!r} has shape {found}, expected {wanted}")


class GridRows:
    """Puts the rows of a file in the order of a grid, given their ``rows x axes`` indices in it.

    Raises UsageError if a cell is missing, repeated or outside the grid.
    """

    def __init__(self, indices: npt.NDArray[Any], lengths: tuple[int, ...], path: Path) -> None:
        is_whole = indices.dtype.kind in "iu"
        in_grid = is_whole and bool(((indices >= 0) & (indices < lengths)).all())
        cells = np.ravel_multi_index(tuple(indices.T), lengths) if in_grid else np.empty(0, int)
        if not np.array_equal(np.sort(cells), np.arange(np.prod(lengths))):
            raise UsageError(f"{path}: 'X_index' does not hold every configuration once")
        self.lengths = lengths
        self.path = path
        self.order = np.argsort(cells)

    def __call__(self, values: npt.NDArray[Any], name: str) -> Array:
        """Replace the first axis, rows, of an array by the axes of the grid.

        Raises UsageError if it does not hold one finite float, or several, for each row.
        """
        if values.dtype.kind != "f" or len(values) != len(self.order):
            raise UsageError(f"{self.path}: array {name!r} is not one float for each row")
        if not np.isfinite(values).all():
            raise UsageError(f"{self.path}: array {name!r} holds values that are not finite")
        # The mean of float32 would lose the digits that tell good configurations apart.
        return values[self.order].astype(np.float64).reshape(*self.lengths, *values.shape[1:])
