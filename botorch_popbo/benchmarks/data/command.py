"""What ``popbo data`` does."""

import hashlib
import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.data import fcnet, nasbench201
from botorch_popbo.benchmarks.data.table import Array, Arrays, Choices, Table
from botorch_popbo.benchmarks.errors import UsageError

_FILES = {"fcnet": fcnet.FILE, "nasbench201": nasbench201.FILE}
#: The checksum of each part that is read (of FCNet the means over the seeds) in the tables that the
#: published results were made with; docs/benchmarks.md says where those are from. The checksum of a
#: part that differs is shown by ``popbo data check FOLDER``.
_PUBLISHED = {
    "naval_propulsion": "2742695aad09ba3354cce638dbf95428a5701ca34337b12121217d0b1d8e7588",
    "parkinsons_telemonitoring": "91757ce318595432f82282c26cc295d5129daf5198decc77778b3156bbae968c",
    "protein_structure": "b8e55777a1a6d855880eb515ef48d5744a23c809dfaec3889bf099f9df3b1cd3",
    "slice_localization": "e84ef030090c3c6fb90a9f134136d77fb97dc2c41e96a35903feae5276d1242f",
    "cifar10_valid_ep12": "a6fce3ec9ab5ef2fe4a878c27b2c6a29ccec8976a5269d5d4be1ff6166ae6f2e",
}


def data(options: Namespace) -> int:
    """Convert a release, or check what has been converted.

    Args:
        options: The parsed command line of ``popbo data``.

    Returns:
        The exit status: 1 if a checked table is damaged or not the published one, else 0.

    Raises:
        UsageError: If the source or the folder will not do; nothing has been written then.
        ModuleNotFoundError: If h5py or tqdm is needed and missing.
        OSError: If the table file cannot be written.
    """
    if options.table == "check":
        return _check(options.folder)
    folder, path = options.output, options.output / _FILES[options.table]
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--output {folder} is not a folder")
    if path.exists() and not options.overwrite:
        raise UsageError(f"{path} is there already; --overwrite replaces it")
    arrays = _convert(options.table, options.source)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    print(f"table: {path}")
    for difference in differences(folder, path.name):
        print(f"popbo: warning: {path}: {difference}", file=sys.stderr)
    return 0


def _convert(table: str, source: Path) -> Arrays:
    # h5py and tqdm are extras, which nothing else here needs.
    if table == "fcnet":
        from botorch_popbo.benchmarks.data._convert_fcnet import convert_fcnet

        return convert_fcnet(source)
    from botorch_popbo.benchmarks.data._convert_nasbench201 import convert_nasbench201

    return convert_nasbench201(source)


def _check(folder: Path) -> int:
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    status = 0
    for name in _FILES.values():
        if not (folder / name).exists():
            print(f"{name}: not found")
            continue
        try:
            found = differences(folder, name)
        except UsageError as error:
            found = [str(error)]
        for line in found or ["as published"]:
            print(f"{name}: {line}")
        status = 1 if found else status
    return status


def differences(folder: Path, file_name: str) -> list[str]:
    """Say of each part of a table file that it differs from the published one, if it does."""
    checksums = {part: checksum(t.choices, t.means) for part, t in _parts(folder, file_name)}
    return [
        f"the numbers of {part} differ from those that the published results were made with "
        f"(checksum {found})"
        for part, found in checksums.items()
        if found != _PUBLISHED[part]
    ]


def _parts(folder: Path, file_name: str) -> Iterator[tuple[str, Table]]:
    if file_name == nasbench201.FILE:
        yield nasbench201.ACCURACY, nasbench201.load_nasbench201(folder)
    else:
        for data_set in fcnet.DATA_SETS:
            yield data_set, fcnet.load_fcnet(folder, data_set)


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
