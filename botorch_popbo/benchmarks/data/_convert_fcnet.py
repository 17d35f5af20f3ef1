"""From the release of Klein & Hutter (2019) to the arrays that are read.

The layout is that of ``tabular_benchmarks/fcnet_benchmark.py`` in github.com/automl/nas_benchmarks:
a group for each configuration, its name the configuration as JSON, with the dataset ``valid_mse``.
"""

import json
import math
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data._fcnet_release import release_files
from botorch_popbo.benchmarks.data.fcnet import NUM_PARAMETERS, NUM_SEEDS, errors_name
from botorch_popbo.benchmarks.data.replicates import pack
from botorch_popbo.benchmarks.data.table import Arrays, Choices
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.run._progress import make_bar
from botorch_popbo.benchmarks.settings import Parameters

_NUM_EPOCHS = 100
#: The order of names in the table that the published results were made with. Random points are
#: drawn by index, so that in another order a seed would no longer give the published run.
_PUBLISHED_ORDER = ("relu", "tanh", "cosine", "const")


def convert_fcnet(source: Path) -> Arrays:
    """Read the arrays of the table file from the release's archive or the folder of its files.

    Raises UsageError if the source is missing, damaged or not the release.
    """
    grids: list[dict[str, Choices]] = []
    errors: dict[str, npt.NDArray[np.float32]] = {}
    with closing(release_files(source)) as files:
        for data_set, path in files:
            configurations, unsorted = _read(path, data_set)
            grid, order = sort_into_grid(configurations, path.name)
            if (found := len(grid)) != NUM_PARAMETERS:
                raise UsageError(f"{path.name} has {found} parameters, expected {NUM_PARAMETERS}")
            grids.append(grid)
            if grid != grids[0]:
                raise UsageError(f"{path.name} has other choices than the files before it")
            errors[errors_name(data_set)] = unsorted[order]
    return pack(grids[0], errors)


def _read(path: Path, data_set: str) -> tuple[list[Parameters], npt.NDArray[np.float32]]:
    try:
        with h5py.File(path, "r") as file:
            errors = np.empty((len(file), NUM_SEEDS), dtype=np.float32)
            configurations = []
            entries = make_bar(file.items(), desc=data_set, total=len(file), unit="key")
            for row, (key, entry) in enumerate(entries):
                configurations.append(_configuration(key, path))
                errors[row] = _last_errors(entry, path)
    except (OSError, RuntimeError, KeyError) as error:
        raise UsageError(f"{path.name} cannot be read as an HDF5 file: {error}") from None
    if not configurations:
        raise UsageError(f"{path.name} holds no configuration")
    return configurations, errors


def _configuration(key: str, path: Path) -> Parameters:
    try:
        values = json.loads(key)
    except ValueError:
        values = None
    scalars = int | float | str
    if not isinstance(values, dict) or not all(isinstance(v, scalars) for v in values.values()):
        raise UsageError(f"{path.name}: the key {key!r} is not a configuration")
    return values


def _last_errors(entry: Any, path: Path) -> npt.NDArray[np.float32]:
    curves = entry.get("valid_mse") if isinstance(entry, h5py.Group) else None
    shape = (NUM_SEEDS, _NUM_EPOCHS)
    if not isinstance(curves, h5py.Dataset) or curves.shape != shape or curves.dtype.kind != "f":
        raise UsageError(f"{path.name}: {entry.name!r} has no {shape} floats 'valid_mse'")
    last: npt.NDArray[np.float32] = curves[:, -1].astype(np.float32)
    if not np.isfinite(last).all():
        raise UsageError(f"{path.name}: 'valid_mse' of {entry.name!r} does not end finite")
    return last


def sort_into_grid(
    configurations: Sequence[Parameters], name: str
) -> tuple[dict[str, Choices], npt.NDArray[np.int64]]:
    """The choices of a list of configurations, and the list's order on the grid of them.

    Parameters are in alphabetical order: their numbers ascending, their names in the published
    table's order, other names after them in alphabetical order. On the grid the last parameter runs
    fastest. Raises UsageError if the configurations are not every combination once.
    """
    names = sorted(configurations[0])
    if any(sorted(configuration) != names for configuration in configurations):
        raise UsageError(f"{name}: the configurations differ in their parameters")
    try:
        choices = {key: tuple(sorted({c[key] for c in configurations}, key=_rank)) for key in names}
    except TypeError:
        raise UsageError(f"{name}: a parameter has both numbers and strings as values") from None
    positions = {key: {v: i for i, v in enumerate(values)} for key, values in choices.items()}
    cells = [tuple(positions[key][c[key]] for key in names) for c in configurations]
    num_cells = math.prod(map(len, choices.values()))
    if not len(cells) == len(set(cells)) == num_cells:
        raise UsageError(
            f"{name} is not a whole table: {len(set(cells))} different configurations in "
            f"{len(cells)} entries, where the choices in them make {num_cells}"
        )
    order = sorted(range(len(cells)), key=cells.__getitem__)
    return choices, np.array(order)


def _rank(value: bool | int | float | str) -> Any:
    if not isinstance(value, str):
        return value
    known = value in _PUBLISHED_ORDER
    return (_PUBLISHED_ORDER.index(value) if known else len(_PUBLISHED_ORDER), value)
