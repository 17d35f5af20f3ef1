"""From the release of Klein & Hutter (2019) to the arrays that are read.

The layout is that of ``tabular_benchmarks/fcnet_benchmark.py`` in github.com/automl/nas_benchmarks:
a group for each configuration, its name the configuration as JSON, with the dataset ``valid_mse``.
"""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data._fcnet_release import release_files
from botorch_popbo.benchmarks.data._grid import sort_into_grid
from botorch_popbo.benchmarks.data.fcnet import NUM_PARAMETERS, NUM_SEEDS, errors_name
from botorch_popbo.benchmarks.data.table import Choices
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.run._progress import make_bar
from botorch_popbo.benchmarks.settings import Parameters

_NUM_EPOCHS = 100


def convert_fcnet(source: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of the table file from the release's archive or the folder of its files.

    Rows are every combination of the choices, the last parameter running fastest. Raises UsageError
    if the source is missing, damaged or not the release.
    """
    grids: list[dict[str, Choices]] = []
    errors: dict[str, npt.NDArray[np.float32]] = {}
    with closing(release_files(source)) as files:
        for data_set, path in files:
            configurations, unsorted = _read(path, data_set)
            grid, order = sort_into_grid(configurations, path.name)
            if len(grid) != NUM_PARAMETERS:
                raise UsageError(
                    f"{path.name} has {len(grid)} parameters, expected {NUM_PARAMETERS}"
                )
            grids.append(grid)
            if grid != grids[0]:
                raise UsageError(f"{path.name} has other choices than the files before it")
            errors[errors_name(data_set)] = unsorted[order]
    choices = grids[0]
    lengths = [len(values) for values in choices.values()]
    return {
        "X_index": np.indices(lengths, dtype=np.int8).reshape(len(lengths), -1).T,
        "param_names": np.array(list(choices)),
        "param_choices": np.array([str(list(values)) for values in choices.values()]),
        **errors,
    }


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
    if not isinstance(values, dict) or not all(
        isinstance(value, int | float | str) for value in values.values()
    ):
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
