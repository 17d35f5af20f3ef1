"""Tables of GPU kernels: how long each of 32 runs took, by the sizes of blocks and tiles.

They are the exhaustive measurements that the FAIR Benchmark Hub for Auto-Tuning publishes under the
MIT licence (github.com/AutoTuningAssociation/benchmark_hub, doi:10.5281/zenodo.15364124).
"""

from pathlib import Path

from botorch_popbo.benchmarks.data.replicates import LAYOUT, load_replicates
from botorch_popbo.benchmarks.data.table import Choices, Table, find_file

GPUS = ("A100", "A4000", "A6000", "MI250X", "W6600", "W7800")
NUM_RUNS = 32
#: Every parameter's choices, by name, of each kernel: a grid whose every point runs on all GPUs.
#: The hub has larger blocks too, which a GPU can run only where other sizes are small.
GRIDS: dict[str, dict[str, Choices]] = {
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
#: The files, by kernel.
FILES = {kernel: f"{kernel}.npz" for kernel in GRIDS}

_HELP = """\
It holds times of a GPU kernel (Willemsen et al. 2025, doi:10.5281/zenodo.15364124) as arrays
{layout}
  <GPU>_milliseconds (n, {runs}) floats: the time of every run
for {gpus}. popbo data {kernel} makes it of a clone of
github.com/AutoTuningAssociation/benchmark_hub."""


def times_name(gpu: str) -> str:
    """The name of the array of a GPU's times."""
    return f"{gpu}_milliseconds"


def load_kernel(data: Path | None, kernel: str, gpu: str) -> Table:
    """Read the milliseconds of all runs of a kernel on one GPU from the folder ``data``.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    num_parameters = len(GRIDS[kernel])
    layout = LAYOUT.format(parameters=num_parameters)
    help_text = _HELP.format(layout=layout, runs=NUM_RUNS, gpus=", ".join(GPUS), kernel=kernel)
    path = find_file(data, FILES[kernel], help_text)
    return load_replicates(path, times_name(gpu), num_parameters, NUM_RUNS)
