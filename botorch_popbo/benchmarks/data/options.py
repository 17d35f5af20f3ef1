"""The options of ``popbo data``."""

from argparse import ArgumentParser
from pathlib import Path

_FCNET = """\
SOURCE is fcnet_tabular_benchmarks.tar.gz, the release of Klein & Hutter (2019), or the folder of
the four files fcnet_*_data.hdf5 in it. The archive is read one file at a time, each by way of the
folder for temporary files (TMPDIR)."""
_NASBENCH201 = """\
SOURCE is a CSV file that docs/examples/export_nasbench201.py writes from the release
NATS-tss-v1_0-3ffb9-simple of Dong & Yang (2020). The release is made of pickles, which can run
any code when they are read; popbo reads none, so the script runs where you choose. The columns
index, arch_str and cifar10_valid_ep12 are needed; the other ones of the script are taken along."""
_KERNEL = """\
SOURCE is a clone of github.com/AutoTuningAssociation/benchmark_hub (MIT licence), or a folder that
holds its cachefiles."""
_MLP = """\
It trains networks on data sets that scikit-learn bundles, which takes about a quarter of an hour
on one core. On other machines or with other versions of torch a few errors may come out
differently; the check then says so."""
_EXAMPLES = """\
examples:
  popbo data fcnet fcnet_tabular_benchmarks.tar.gz --output tables
  popbo data nasbench201 nasbench201.csv --output tables
  popbo data dedispersion benchmark_hub --output tables
  popbo data mlp --output tables
  popbo data check tables
  popbo compare --problems fcnet-slice nasbench201 --data tables"""

#: What is said of each table.
_TABLES = {
    "fcnet": ("convert the HDF5 files of FCNet", _FCNET),
    "nasbench201": ("convert an export of NAS-Bench-201", _NASBENCH201),
    "mlp": ("train networks on scikit-learn's data sets", _MLP),
    "dedispersion": ("convert times of a GPU kernel: dedispersion", _KERNEL),
    "convolution": ("convert times of a GPU kernel: convolution", _KERNEL),
}


def add_data_options(parser: ArgumentParser) -> None:
    """Give the parser of ``popbo data`` its commands."""
    parser.epilog = _EXAMPLES
    commands = parser.add_subparsers(dest="table", required=True, metavar="TABLE")
    for table, (summary, description) in _TABLES.items():
        make = commands.add_parser(table, help=summary, description=description)
        add = make.add_argument
        if table != "mlp":
            add("source", type=Path, metavar="SOURCE")
        add("--output", type=Path, required=True, metavar="FOLDER", help="folder of table files")
        add("--overwrite", action="store_true", help="replace a table file that is there")
    check = commands.add_parser(
        "check",
        help="say of each table whether it is there and is the published one",
        description="The exit status is 1 if a table that is there differs or is damaged.",
    )
    check.add_argument("folder", type=Path, metavar="FOLDER")
