"""Whether the numbers in a table file are those that the published results were made with."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
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


def _tables(folder: Path, name: str) -> dict[str, Table]:
    """The tables of a file, by the names that their checksums have."""
    if name == "nasbench201":
        return {nasbench201.ACCURACY: nasbench201.load_nasbench201(folder)}
    file, title = (FCNET, "") if name == "fcnet" else ({"mlp": MLP, **KERNELS}[name], f"{name} ")
    return {f"{title}{part}": file.load(folder, part) for part in file.parts}


def differences(folder: Path, name: str) -> list[str]:
    """Say of each part of the file that a command makes whether it differs from the published."""
    # Of the means, where a cell has several values; README.md says where they are from.
    published = tomllib.loads(Path(__file__).with_name("published.toml").read_text("utf-8"))
    tables = _tables(folder, name)
    checksums = {part: checksum(table.choices, table.means) for part, table in tables.items()}
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
