"""What ``popbo data`` does."""

import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path

import numpy as np

from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.data._published import FILES, differences
from botorch_popbo.benchmarks.data.table import Arrays
from botorch_popbo.benchmarks.errors import UsageError

_CONVERTERS = {
    "fcnet": "_convert_fcnet",
    "nasbench201": "_convert_nasbench201",
    "mlp": "_train_networks",
    "dedispersion": "_convert_kernels",
    "convolution": "_convert_kernels",
}


def data(options: Namespace) -> int:
    """Make a table, or check what has been made.

    Args:
        options: The parsed command line of ``popbo data``.

    Returns:
        The exit status: 1 if a checked table is damaged or not the published one, else 0.

    Raises:
        UsageError: If the source or the folder will not do; nothing has been written then.
        ModuleNotFoundError: If h5py, scikit-learn or tqdm is needed and missing.
        OSError: If the table file cannot be written.
    """
    if options.source is None and options.table != "mlp":
        raise UsageError(f"popbo data {options.table} needs a SOURCE (see popbo data --help)")
    if options.table == "check":
        return _check(options.source)
    if options.output is None:
        raise UsageError(f"popbo data {options.table} needs --output FOLDER")
    folder, path = options.output, options.output / FILES[options.table]
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--output {folder} is not a folder")
    if path.exists() and not options.overwrite:
        raise UsageError(f"{path} is there already; --overwrite replaces it")
    # h5py, scikit-learn and tqdm are extras, which nothing else here needs.
    module = import_module(f"botorch_popbo.benchmarks.data.{_CONVERTERS[options.table]}")
    arrays: Arrays = module.convert(options.source, options.table)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    print(f"table: {path}")
    for difference in differences(folder, options.table):
        print(f"popbo: warning: {path}: {difference}", file=sys.stderr)
    return 0


def _check(folder: Path) -> int:
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    status = 0
    for table, name in FILES.items():
        if not (folder / name).exists():
            print(f"{name}: not found")
            continue
        try:
            found = differences(folder, table)
        except UsageError as error:
            found = [str(error)]
        for line in found or ["as published"]:
            print(f"{name}: {line}")
        status = 1 if found else status
    return status
