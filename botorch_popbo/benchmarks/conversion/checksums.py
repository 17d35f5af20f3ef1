"""Tell whether a table is the one that the published results were made with."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.tables import fcnet, nasbench201
from botorch_popbo.benchmarks.tables.fcnet import Choices

#: The checksum of each part that is read (of FCNet the means over the seeds) in the tables that the
#: published results were made with; docs/benchmarks.md says where those are from. The checksum of a
#: part that differs is shown by ``popbo data check FOLDER``.
PUBLISHED = {
    "naval_propulsion": "2742695aad09ba3354cce638dbf95428a5701ca34337b12121217d0b1d8e7588",
    "parkinsons_telemonitoring": "91757ce318595432f82282c26cc295d5129daf5198decc77778b3156bbae968c",
    "protein_structure": "b8e55777a1a6d855880eb515ef48d5744a23c809dfaec3889bf099f9df3b1cd3",
    "slice_localization": "e84ef030090c3c6fb90a9f134136d77fb97dc2c41e96a35903feae5276d1242f",
    "cifar10_valid_ep12": "a6fce3ec9ab5ef2fe4a878c27b2c6a29ccec8976a5269d5d4be1ff6166ae6f2e",
}


def checksum(axes: Mapping[str, Choices], values: npt.NDArray[np.float64]) -> str:
    """Sum up what a table says, however it is stored.

    The order of rows, parameters and choices, the type of the numbers, and all digits after the
    sixth make no difference.

    Args:
        axes: The choices of every parameter, by name.
        values: The value of every combination, an array with an axis for each parameter.

    Returns:
        The SHA-256 of the table in alphabetical order, in hexadecimal.
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


def differences(folder: Path, file_name: str) -> list[str]:
    """Compare a table file with the published one.

    Args:
        folder: The folder of table files.
        file_name: ``fcnet_valid.npz`` or ``nasbench201.npz``.

    Returns:
        A sentence for each part of the file that differs.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    checksums = dict(_fcnet(folder) if file_name == fcnet.FILE else _nasbench201(folder))
    return [
        f"the numbers of {part} differ from those that the published results were made with "
        f"(checksum {found})"
        for part, found in checksums.items()
        if found != PUBLISHED[part]
    ]


def _fcnet(folder: Path) -> Iterator[tuple[str, str]]:
    for data_set in fcnet.DATA_SETS:
        table = fcnet.load_fcnet(folder, data_set)
        yield data_set, checksum(table.choices, table.mean_error[table.rows])


def _nasbench201(folder: Path) -> Iterator[tuple[str, str]]:
    table = nasbench201.load_nasbench201(folder)
    axes: dict[str, Choices] = {f"edge{i}": table.operations for i in range(nasbench201.NUM_EDGES)}
    yield nasbench201.ACCURACY, checksum(axes, table.accuracy[table.rows])
