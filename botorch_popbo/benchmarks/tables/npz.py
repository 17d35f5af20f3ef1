"""Find, open and check a table file."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.errors import UsageError

#: The length expected of each axis of an array; None stands for any length.
Shape = tuple[int | None, ...]


def load_arrays(
    data: Path | None,
    file_name: str,
    shapes: Mapping[str, Shape],
    help_text: str,
    optional: Mapping[str, Shape] | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """Read arrays from an npz file.

    Args:
        data: The folder of table files, or None.
        file_name: The file's name in that folder.
        shapes: The shape expected of every array that is read, by name.
        help_text: What the file holds and how to get it, for the message if there is none.
        optional: The shape of every array that is read if it is there, by name.

    Returns:
        The arrays by name.

    Raises:
        UsageError: If the file is missing, unreadable, or lacks an array of the right shape.
    """
    if data is None:
        raise UsageError(
            f"{file_name} is needed: pass its folder with --data or set POPBO_DATA.\n{help_text}"
        )
    path = data / file_name
    if not path.is_file():
        raise UsageError(
            f"there is no {file_name} in {data}: put it there, or pass another folder with --data "
            f"or POPBO_DATA.\n{help_text}"
        )
    optional = optional or {}
    try:
        # Opened as an archive, because numpy.load returns a bare array for other files.
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in [*shapes, *optional] if name in archive}
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} cannot be read as an npz file: {error}") from None
    found = {name: shape for name, shape in optional.items() if name in arrays}
    for name, shape in {**shapes, **found}.items():
        _check_shape(arrays, name, shape, path)
    return arrays


def _check_shape(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, shape: Shape, path: Path
) -> None:
    if name not in arrays:
        raise UsageError(f"{path} has no array {name!r}")
    found = arrays[name].shape
    fits = len(found) == len(shape) and all(
        length is None or length == actual for length, actual in zip(shape, found, strict=True)
    )
    if not fits:
        wanted = "x".join("any" if length is None else str(length) for length in shape)
        raise UsageError(f"{path}: array {name!r} has shape {found}, expected {wanted}")


def row_by_cell(
    indices: npt.NDArray[Any], lengths: tuple[int, ...], path: Path
) -> npt.NDArray[np.int64]:
    """Invert a table of indices.

    Args:
        indices: The ``rows x axes`` indices of a table that has every cell of a grid once.
        lengths: The grid's length along each axis.
        path: The file, for the message.

    Returns:
        The row of every cell, an array of shape ``lengths``.

    Raises:
        UsageError: If a cell is missing, repeated or outside the grid.
    """
    cells = np.asarray(indices)
    in_grid = cells.dtype.kind in "iu" and bool(((cells >= 0) & (cells < lengths)).all())
    flat = np.ravel_multi_index(tuple(cells.T), lengths) if in_grid else np.empty(0, dtype=int)
    if not np.array_equal(np.sort(flat), np.arange(np.prod(lengths))):
        raise UsageError(f"{path}: 'X_index' does not hold every configuration once")
    rows = np.empty(len(flat), dtype=np.int64)
    rows[flat] = np.arange(len(flat))
    return rows.reshape(lengths)


def check_finite(values: npt.NDArray[np.float64], name: str, path: Path) -> None:
    """Refuse values that are no numbers.

    Args:
        values: The array.
        name: Its name in the file.
        path: The file, for the message.

    Raises:
        UsageError: If a value is infinite or not a number.
    """
    if not np.isfinite(values).all():
        raise UsageError(f"{path}: array {name!r} holds values that are not finite")
