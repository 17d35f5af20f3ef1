"""Rank counts of a top-k list: the best items in order, the others without."""

from collections.abc import Sequence

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.rank_counts.base import RankCounts
from botorch_popbo.rank_counts.items import as_list, check_items, list_records


def from_top_k(X: Tensor, top: Tensor | Sequence[int], rest: Tensor | Sequence[int]) -> RankCounts:
    """Rank the best items by their place, and the rest as worse than all of them.

    The ``i``-th best item met all others, ``n = len(top) + len(rest) - 1``, and was worse than
    ``i - 1`` of them. Of a remaining item nothing is known but that it is worse than every top
    item, so it met only those: ``k = n = len(top)``. Items in neither list get no record.
    With an empty rest this is :func:`from_ordering`. O(N log N).

    Assumption: every top item is better than every remaining one, the remaining ones have not
    been compared with each other, and all of them together are a fair sample of the points.

    Args:
        X: Items, an ``N x d`` tensor.
        top: Indices of rows of ``X``, best first, at least one.
        rest: Indices of rows of ``X`` in any order. Naming two equal rows of ``X``, in whichever
            list, is an error, like naming one row twice: it would give a point two ranks.

    Returns:
        One record per named item, in lexicographic order of the points.

    Raises:
        BotorchTensorDimensionError: If the shapes are wrong.
        InputDataError: If ``X`` is not finite or not of a floating-point dtype, if an index is not
            an integer, out of range or repeated, if two named items are equal, if ``top`` is
            empty or fewer than two items are named, or if the devices differ.
    """
    check_items(X)
    best, others = as_list(top, X, "top"), as_list(rest, X, "rest")
    num_best, num_items = best.shape[0], best.shape[0] + others.shape[0]
    if num_best < 1 or num_items < 2:
        raise InputDataError(
            "A top-k list names at least one top item and two items in all, but top names "
            f"{num_best} and rest {others.shape[0]}. Name more items."
        )
    worse_than_top = torch.full_like(others, num_best)
    return list_records(
        X,
        torch.cat([best, others]),
        counts=torch.cat([torch.arange(num_best, device=X.device), worse_than_top]),
        exposure=torch.cat([torch.full_like(best, num_items - 1), worse_than_top]),
    )
