"""The choices that tables have been made for, and how a table file is laid out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data.sources import TableFile
from botorch_popbo.benchmarks.data.table import Arrays, Choices

MLP_GRID: dict[str, Choices] = {
    "alpha": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
    "batch_size": (8, 16, 32, 64, 128),
    "depth": (1, 2, 3),
    "learning_rate_init": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1),
    "width": (4, 8, 16, 32, 64),
}

#: Every parameter's choices, by name, of each kernel: a grid whose every point runs on all GPUs.
#: The hub has larger blocks too, which a GPU can run only where other sizes are small.
KERNEL_GRIDS: dict[str, dict[str, Choices]] = {
    "dedispersion": {
        "block_size_x": (1, 2, 4),
        "block_size_y": tuple(range(32, 257, 8)),
        "tile_size_x": (1, 2, 3, 4),
        "tile_size_y": (1, 2, 3, 4, 5, 6, 7, 8),
        "tile_stride_x": (0, 1),
        "tile_stride_y": (0, 1),
    },
    "convolution": {
        "block_size_x": (16, 32, 48, 64),
        "block_size_y": (1, 2, 4),
        "tile_size_x": (1, 2, 3, 4),
        "tile_size_y": (1, 2, 3, 4),
        "read_only": (0, 1),
        "use_padding": (0, 1),
        "use_shmem": (0, 1),
    },
}


def pack(
    file: TableFile, choices: Mapping[str, Choices], values: Mapping[str, npt.NDArray[Any]]
) -> Arrays:
    """The arrays of the file.

    Args:
        file: The file.
        choices: The choices of every parameter, by name.
        values: The values of every table by its name, ``n x num_replicates`` with the last
            parameter running fastest.
    """
    lengths = [len(each) for each in choices.values()]
    return {
        "X_index": np.indices(lengths, dtype=np.int8).reshape(len(lengths), -1).T,
        "param_names": np.array(list(choices)),
        "param_choices": np.array([str(list(each)) for each in choices.values()]),
        **{f"{part}_{file.kind}": table for part, table in values.items()},
    }
