"""From an export of the release of Dong & Yang (2020) to the arrays that are read."""

from pathlib import Path

import numpy as np
import pandas as pd

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.data.nasbench201 import ACCURACY, FULL, NUM_EDGES
from botorch_popbo.benchmarks.data.table import Arrays

#: The operations in the release's order.
_OPERATIONS = ("none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3")
#: Node after node, each with an edge from every node before it.
_CELL = r"\|(\w+)~0\|\+\|(\w+)~0\|(\w+)~1\|\+\|(\w+)~0\|(\w+)~1\|(\w+)~2\|"


def convert(source: Path, table: str) -> Arrays:
    """Read the arrays of the table file from a CSV file.

    Its columns are index, arch_str and accuracies in per cent, of which cifar10_valid_ep12 is
    needed and those after 200 epochs are taken along. Raises UsageError if it is missing, damaged
    or no such export.
    """
    try:
        rows = pd.read_csv(source).sort_values("index")
        names = [ACCURACY, *(name for name in FULL.values() if name in rows)]
        operations = rows["arch_str"].str.extract(f"^{_CELL}$").fillna("?")
        index = operations.apply(lambda edge: edge.map(_OPERATIONS.index)).to_numpy(np.int8)
        arrays: Arrays = {name: rows[name].to_numpy(float) for name in names}
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"{source} is no export of NAS-Bench-201: {error}") from None
    if len(np.unique(index, axis=0)) != len(index) or len(index) != len(_OPERATIONS) ** NUM_EDGES:
        raise UsageError(f"{source} is not the whole table: every architecture once")
    if not all(np.isfinite(values).all() for values in arrays.values()):
        raise UsageError(f"{source} holds accuracies that are empty or not finite")
    return {"X_index": index, "op_names": np.array(_OPERATIONS), **arrays}
