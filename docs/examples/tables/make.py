"""Make the files of tables that problems look up, or check those that are there.

They are made of what their authors published, or computed; README.md says where that is:

    pip install ".[benchmark,data]"
    python docs/examples/tables/make.py fcnet fcnet_tabular_benchmarks.tar.gz --output DIR
    python docs/examples/tables/make.py mlp --output DIR
    python docs/examples/tables/make.py check DIR
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from published import FILES, differences

from botorch_popbo._errors import UsageError
from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.data.table import Arrays

_CONVERTERS = {
    "fcnet": "from_fcnet",
    "nasbench201": "from_nasbench201",
    "mlp": "train_networks",
    "dedispersion": "from_kernels",
    "convolution": "from_kernels",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script.

    Returns:
        The exit status: 1 if a checked table is damaged or not the published one, 2 if the source
        or the folder will not do, else 0.
    """
    parser = ArgumentParser(description="Make a file of tables, or check those that are there.")
    add = parser.add_argument
    add("table", choices=[*_CONVERTERS, "check"], metavar="TABLE", help="which, or check")
    add("source", type=Path, nargs="?", help="what was published, or the folder to be checked")
    add("--output", type=Path, metavar="FOLDER", help="folder of table files")
    add("--overwrite", action="store_true", help="replace a table file that is there")
    try:
        return _make(parser.parse_args(arguments))
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _make(options: Namespace) -> int:
    table = options.table
    if options.source is None and table != "mlp":
        raise UsageError(f"{table} needs a SOURCE")
    if table == "check":
        return _check(options.source)
    if options.output is None:
        raise UsageError(f"{table} needs --output FOLDER")
    folder, path = options.output, options.output / FILES[table]
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--output {folder} is not a folder")
    if path.exists() and not options.overwrite:
        raise UsageError(f"{path} is there already; --overwrite replaces it")
    # h5py is for one of them only.
    arrays: Arrays = import_module(_CONVERTERS[table]).convert(options.source, table)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays)
    print(f"table: {path}")
    for difference in differences(folder, table):
        print(f"warning: {path}: {difference}", file=sys.stderr)
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


if __name__ == "__main__":
    sys.exit(main())
