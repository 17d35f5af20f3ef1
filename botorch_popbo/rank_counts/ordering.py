"""Rank counts of an ordering: items sorted by someone who need not measure them."""

from collections.abc import Sequence

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.rank_counts.base import RankCounts
from botorch_popbo.rank_counts.items import as_list, check_items, list_records


def from_ordering(X: Tensor, ordering: Tensor | Sequence[int]) -> RankCounts:
    """Rank items by their place in a list, complete or partial.

    A complete list gives the same records as :func:`from_outcomes` with outcomes that sort the
    items in this way. Items that are not listed get no record. O(N log N).

    Assumption: every listed item has been compared with every other listed one, without ties, and
    the listed items are a fair sample of the points.

    Args:
        X: Items, an ``N x d`` tensor.
        ordering: Indices of rows of ``X``, best first, of shape ``m``. Listing two equal rows of
            ``X`` is an error, like listing one row twice: it would give a point two ranks.

    Returns:
        One record per listed item, of exposure ``m - 1``, in lexicographic order of the points.

    Raises:
        BotorchTensorDimensionError: If the shapes are wrong.
        InputDataError: If ``X`` is not finite or not of a floating-point dtype, if an index is not
            an integer, out of range or repeated, if two listed items are equal, if fewer than two
            are listed, or if the devices differ.
    """
    check_items(X)
    items = as_list(ordering, X, "ordering")
    if items.shape[0] < 2:
        raise InputDataError(
            f"An ordering compares two items or more, but lists {items.shape[0]}. List more items."
        )
    places = torch.arange(items.shape[0], device=X.device)
    return list_records(X, items, places, torch.full_like(places, items.shape[0] - 1))
