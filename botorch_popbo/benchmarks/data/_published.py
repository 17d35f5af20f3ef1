"""Whether the numbers in a table file are those that the published results were made with."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from botorch_popbo.benchmarks.data import nasbench201
from botorch_popbo.benchmarks.data.sources import FCNET, KERNELS, MLP
from botorch_popbo.benchmarks.data.table import Array, Choices, Table

#: The file of each table, by the name of the command that makes it.
FILES = {
    "fcnet": FCNET.file,
    "nasbench201": nasbench201.FILE,
    "mlp": MLP.file,
    **{name: kernel.file for name, kernel in KERNELS.items()},
}


def _tables(folder: Path, file_name: str) -> dict[str, Table]:
    """The tables of a file, by the names that their checksums have."""
    if file_name == nasbench201.FILE:
        return {nasbench201.ACCURACY: nasbench201.load_nasbench201(folder)}
    titles = {FCNET: "", MLP: "mlp ", **{kernel: f"{name} " for name, kernel in KERNELS.items()}}
    found = next((file, title) for file, title in titles.items() if file.file == file_name)
    return {f"{found[1]}{part}": found[0].load(folder, part) for part in found[0].parts}


def differences(folder: Path, file_name: str) -> list[str]:
    """Say of each part of a table file that it differs from the published one, if it does."""
    # Of the means, where a cell has several values; docs/benchmarks.md says where they are from.
    published = tomllib.loads(files(__package__).joinpath("published.toml").read_text("utf-8"))
    checksums = {
        part: checksum(t.choices, t.means) for part, t in _tables(folder, file_name).items()
    }
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
