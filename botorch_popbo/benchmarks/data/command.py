"""What ``popbo data`` does."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.data import fcnet, nasbench201
from botorch_popbo.benchmarks.data._checksums import differences
from botorch_popbo.benchmarks.errors import UsageError

_FILES = {"fcnet": fcnet.FILE, "nasbench201": nasbench201.FILE}


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
    path = options.output / _FILES[options.table]
    _check_free(path, options.overwrite)
    arrays = _convert(options.table, options.source)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    print(f"table: {path}")
    for difference in differences(path.parent, path.name):
        print(f"popbo: warning: {path}: {difference}", file=sys.stderr)
    return 0


def _convert(table: str, source: Path) -> dict[str, npt.NDArray[Any]]:
    # h5py and tqdm are extras, which nothing else here needs.
    if table == "fcnet":
        from botorch_popbo.benchmarks.data._convert_fcnet import convert_fcnet

        return convert_fcnet(source)
    from botorch_popbo.benchmarks.data._convert_nasbench201 import convert_nasbench201

    return convert_nasbench201(source)


def _check_free(path: Path, overwrite: bool) -> None:
    if path.parent.exists() and not path.parent.is_dir():
        raise UsageError(f"--output {path.parent} is not a folder")
    if path.exists() and not overwrite:
        raise UsageError(f"{path} is there already; --overwrite replaces it")


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
