"""From a clone of the auto-tuning hub to the arrays that are read.

The layout of its files is T4: ``results``, a list of objects with ``configuration``, whole numbers
by name, ``times``, whose ``runtimes`` are the milliseconds of every run, and ``invalidity``, which
is "correct" if the output was.
"""

import gzip
import json
import zlib
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from grids import KERNEL_GRIDS, pack

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.data.sources import KERNELS
from botorch_popbo.benchmarks.data.table import Arrays, Choices

Cell = tuple[Any, ...]
_NUM_RUNS = 32
#: What a damaged file raises: its compression, its text, its JSON, the layout of that.
_DAMAGE = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zlib.error)


def convert(source: Path, table: str) -> Arrays:
    """Read the arrays of a kernel's table file from a clone of the hub.

    Raises UsageError if a file is missing or damaged, or a configuration of the grid lacks a time.
    """
    grid, file, folder = KERNEL_GRIDS[table], KERNELS[table], source / "cachefiles"
    paths = {gpu: folder / f"{table}_milo" / f"{gpu}_T4.json.gz" for gpu in file.parts}
    return pack(file, grid, {gpu: _table(path, grid) for gpu, path in paths.items()})


def _table(path: Path, grid: dict[str, Choices]) -> npt.NDArray[np.float32]:
    """Times in the grid's order, ``cells x runs``."""
    runs, cells = _runs(path, list(grid)), product(*grid.values())
    measured = (_measured(dict(zip(grid, values, strict=True))) for values in cells)
    try:
        table = np.array([runs[tuple(one.values())] for one in measured], dtype=np.float32)
    except KeyError as error:
        raise UsageError(f"{path} has no {_NUM_RUNS} times of {error}") from None
    if not (np.isfinite(table) & (table > 0.0)).all():
        raise UsageError(f"{path} holds times that are not positive")
    return table


def _runs(path: Path, names: list[str]) -> dict[Cell, list[float]]:
    """The times of the configurations that ran and gave the right output."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            results: list[Any] = json.load(file)["results"]
        return {
            tuple(result["configuration"][name] for name in names): result["times"]["runtimes"]
            for result in results
            if result["invalidity"] == "correct" and len(result["times"]["runtimes"]) == _NUM_RUNS
        }
    except _DAMAGE as error:
        text = f"{type(error).__name__}: {error}"
        raise UsageError(f"{path} cannot be read as a file of the hub: {text}") from None


def _measured(configuration: dict[str, Any]) -> dict[str, Any]:
    """The configuration that was measured in place of one that compiles to the same program.

    A tile of one point has no stride. Padding is only made in shared memory, and not where rows are
    a multiple of its 32 banks already.
    """
    measured = dict(configuration)
    for stride in measured.keys() & {"tile_stride_x", "tile_stride_y"}:
        if measured[stride.replace("stride", "size")] == 1:
            measured[stride] = 0
    has_use = measured.get("use_shmem") == 1 and measured["block_size_x"] % 32 > 0
    if "use_padding" in measured and not has_use:
        measured["use_padding"] = 0
    return measured
