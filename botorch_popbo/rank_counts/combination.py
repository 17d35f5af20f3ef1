"""Rank counts of several sources in one data set."""

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError

from botorch_popbo.rank_counts.base import RankCounts


def combine(*counts: RankCounts) -> RankCounts:
    """Put records of several sources one after another.

    Nothing is merged: a point that several sources speak of keeps a record, with an exposure, from
    each.

    Assumption: all sources speak of the same order of the points, and each is new evidence. The
    same evaluations passed through two sources would count twice.

    Args:
        counts: Records over points of the same ``d`` columns, dtype and device.

    Returns:
        All records, in the order of the arguments.

    Raises:
        BotorchTensorDimensionError: If the points differ in their number of columns.
        InputDataError: If there are no records, or if dtypes or devices differ.
    """
    if sum(map(len, counts)) == 0:
        raise InputDataError(
            "There are no records to combine. Pass the rank counts of at least one source."
        )
    dims = sorted({data.X.shape[-1] for data in counts})
    if len(dims) > 1:
        raise BotorchTensorDimensionError(
            f"The points to combine have {dims} columns. Describe all of them by the same columns."
        )
    tensors = [t for data in counts for t in (data.X, data.counts, data.exposure)]
    kinds = sorted({f"{t.dtype} on {t.device}" for t in tensors})
    if len(kinds) > 1:
        raise InputDataError(
            "Rank counts to combine must share one dtype and one device, but are "
            f"{' and '.join(kinds)}. Convert the points before ranking, with X.to(...)."
        )
    return RankCounts(
        X=torch.cat([data.X for data in counts]),
        counts=torch.cat([data.counts for data in counts]),
        exposure=torch.cat([data.exposure for data in counts]),
    )
