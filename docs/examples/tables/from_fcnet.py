"""From the release of Klein & Hutter (2019) to the arrays that are read.

The layout is that of ``tabular_benchmarks/fcnet_benchmark.py`` in github.com/automl/nas_benchmarks:
a group for each configuration, its name the configuration as JSON, with the dataset ``valid_mse``.
"""

import json
import tarfile
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
import pandas as pd
from grids import pack

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.data.sources import FCNET
from botorch_popbo.benchmarks.data.table import Arrays, Choices

#: The order of names in the table that the published results were made with. Random points are
#: drawn by index, so that in another order a seed would no longer give the published run.
_PUBLISHED_ORDER = ("relu", "tanh", "cosine", "const")
_DAMAGE = (OSError, EOFError, RuntimeError, KeyError, ValueError, tarfile.TarError, zlib.error)


def convert(source: Path, table: str) -> Arrays:
    """Read the arrays of the table file from the release's archive or the folder of its files.

    Raises UsageError if the source is missing, damaged or not the release.
    """
    try:
        if source.is_dir():
            return _convert(source)
        with tarfile.open(source) as archive, TemporaryDirectory() as folder:
            archive.extractall(folder, filter="data")
            files = [*Path(folder).rglob("fcnet_*_data.hdf5"), Path(folder, "none")]
            return _convert(files[0].parent)
    except _DAMAGE as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{source} cannot be read as the release of FCNet: {error}") from None


def _convert(folder: Path) -> Arrays:
    found = {name: _read(folder / f"fcnet_{name}_data.hdf5") for name in FCNET.parts}
    grids = [grid for grid, _ in found.values()]
    if any(grid != grids[0] for grid in grids):
        raise UsageError(f"{folder}: the files have different choices")
    return pack(FCNET, grids[0], {name: errors for name, (_, errors) in found.items()})


def _read(path: Path) -> tuple[dict[str, Choices], npt.NDArray[np.float32]]:
    """The choices, and the errors after the last epoch on their grid, ``cells x seeds``."""
    with h5py.File(path, "r") as file:
        table = pd.DataFrame([json.loads(key) for key in file])
        errors = np.array([entry["valid_mse"][:, -1] for entry in file.values()], np.float32)
    grid = {name: tuple(sorted(table[name].unique().tolist(), key=_rank)) for name in sorted(table)}
    index = [table[name].map(values.index) for name, values in grid.items()]
    cells = np.ravel_multi_index(index, [len(values) for values in grid.values()])
    num_cells = int(np.prod([len(values) for values in grid.values()]))
    if not np.array_equal(np.sort(cells), np.arange(num_cells)) or not np.isfinite(errors).all():
        raise UsageError(f"{path.name} is not a whole table: its choices make {num_cells} cells")
    return grid, errors[np.argsort(cells)]


def _rank(value: Any) -> Any:
    """Numbers ascending; names in the published order, others behind them."""
    if not isinstance(value, str):
        return value
    known = value in _PUBLISHED_ORDER
    return (_PUBLISHED_ORDER.index(value) if known else len(_PUBLISHED_ORDER), value)
