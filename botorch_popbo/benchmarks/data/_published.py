"""Whether the numbers in a table file are those that the published results were made with."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path

from botorch_popbo.benchmarks.data import fcnet, kernels, nasbench201, networks
from botorch_popbo.benchmarks.data.table import Array, Choices, Table

#: The file of each table, by the name of the command that makes it.
FILES = {
    "fcnet": fcnet.FILE,
    "nasbench201": nasbench201.FILE,
    "mlp": networks.FILE,
    **kernels.FILES,
}
Parts = dict[str, Callable[[Path], Table]]
#: The parts of each file, by the file's name, and what reads them.
_PARTS: dict[str, Parts] = {
    fcnet.FILE: {name: partial(fcnet.load_fcnet, data_set=name) for name in fcnet.DATA_SETS},
    nasbench201.FILE: {nasbench201.ACCURACY: nasbench201.load_nasbench201},
    networks.FILE: {
        f"mlp {name}": partial(networks.load_networks, data_set=name) for name in networks.DATA_SETS
    },
    **{
        file: {
            f"{kernel} {gpu}": partial(kernels.load_kernel, kernel=kernel, gpu=gpu)
            for gpu in kernels.GPUS
        }
        for kernel, file in kernels.FILES.items()
    },
}


def differences(folder: Path, file_name: str) -> list[str]:
    """Say of each part of a table file that it differs from the published one, if it does."""
    # Of the means, where a cell has several values; docs/benchmarks.md says where they are from.
    published = tomllib.loads(files(__package__).joinpath("published.toml").read_text("utf-8"))
    tables = {part: load(folder) for part, load in _PARTS[file_name].items()}
    checksums = {part: checksum(t.choices, t.means) for part, t in tables.items()}
    return [
        f"the numbers of {part} differ from those that the published results were made with "
        f"(checksum {found})"
        for part, found in checksums.items()
        if found != published[part]
    ]


def checksum(axes: Mapping[str, Choices], values: Array) -> str:
    """Sum up what a table says, however it is stored: its SHA-256 in alphabetical order.

    The order of rows, parameters (``axes``: their choices by name) and choices, the type of the
    numbers, and all digits after the sixth make no difference.
    """
    names = sorted(axes)
    cells = values.transpose([list(axes).index(name) for name in names])
    choices = []
    for axis, name in enumerate(names):
        literals = [repr(value) for value in axes[name]]
        order = sorted(range(len(literals)), key=literals.__getitem__)
        cells = cells.take(order, axis=axis)
        choices.append(sorted(literals))
    digest = hashlib.sha256(json.dumps([names, choices]).encode())
    digest.update("\n".join(f"{value:.5e}" for value in cells.ravel()).encode())
    return digest.hexdigest()
