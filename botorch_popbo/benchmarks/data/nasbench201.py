"""The table of Dong & Yang (2020): accuracies of all cells of six operations.

As arrays its file holds ``X_index`` (n, 6), the index of each edge's operation, every combination
once; ``op_names``, the operations in that order; the accuracies on CIFAR-10 after 12 epochs in per
cent, ``cifar10_valid_ep12`` (n,); and those after 200 epochs as far as they are there.
"""

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


def load_nasbench201(data: Path | None) -> Table:
    """Read the accuracies in per cent of the 12-epoch schedule from the folder ``data``.

    The measures are what the file says of the 200-epoch schedule.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    path = find_file(data, FILE)
    arrays = read_arrays(path, ("X_index", "op_names", ACCURACY), FULL.values())
    operations: Choices = tuple(map(str, arrays["op_names"]))
    shape = (len(operations),) * NUM_EDGES
    measures = {t: on_grid(arrays, name, shape, path) for t, name in FULL.items() if name in arrays}
    choices = {f"edge{i}": operations for i in range(NUM_EDGES)}
    return Table(choices, on_grid(arrays, ACCURACY, shape, path), measures)
