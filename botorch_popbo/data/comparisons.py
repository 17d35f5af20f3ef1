"""Orders of pairwise comparisons."""

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.data._checks import as_indices, check_items
from botorch_popbo.data._rows import distinct_rows, points_at
from botorch_popbo.data.order import Order


def from_comparisons(X: Tensor, comparisons: Tensor, ties: Tensor | None = None) -> Order:
    """Keep every comparison as a list of two.

    The rank count of an item is the number of its losses plus half of its ties, its exposure the
    number of comparisons that it took part in. Comparing all pairs of a list once gives the same
    counts as :func:`from_ordering`. Equal rows of ``X`` are one item, so a comparison between them
    is an error, like one of a row with itself. Items that were never compared are left out. The
    order of the comparisons does not matter. O(N log N + m).

    Assumption: the opponents of each item are a fair sample of the points, so that losing to half
    of them means being worse than half of all points; and comparing a pair again is new evidence.
    :class:`~botorch_popbo.RankingGP`, which learns from the answers themselves, needs no fair
    sample: opponents may have been chosen in any way.

    Args:
        X: Items, an ``N x d`` tensor.
        comparisons: Indices of rows of ``X``, an ``m x 2`` integer tensor: the winner and the
            loser of each comparison. Of shape ``0 x 2`` where all were ties.
        ties: Indices of rows of ``X``, an ``m' x 2`` integer tensor: pairs judged equal.

    Returns:
        A list of two for each answer, all of one task.

    Raises:
        BotorchTensorDimensionError: If the shapes are wrong.
        InputDataError: If ``X`` is not finite or not of a floating-point dtype, if an index is not
            an integer or out of range, if an item is compared with itself, if there is no
            comparison, or if the devices differ.
    """
    check_items(X)
    decided = as_indices(comparisons, X, "comparisons", in_pairs=True)
    drawn = decided[:0] if ties is None else as_indices(ties, X, "ties", in_pairs=True)
    if len(decided) + len(drawn) == 0:
        raise InputDataError(
            "There is no comparison, so there are no records. Pass at least one comparison or tie."
        )
    distinct = distinct_rows(*X.unbind(-1))
    pairs = [distinct.inverse[decided], distinct.inverse[drawn]]
    for own, name in zip(pairs, ("comparisons", "ties"), strict=True):
        _check_opponents(own, name)
    items = torch.cat(pairs)
    score = torch.zeros_like(items).to(X)
    score[: len(decided), 0] = 1.0
    return Order.from_rankings(points_at(X, distinct.rows), items, score)


def _check_opponents(pairs: Tensor, name: str) -> None:
    same = pairs[:, 0] == pairs[:, 1]
    if bool(same.any()):
        raise InputDataError(
            f"Row {int(same.nonzero()[0])} of {name} compares an item with itself or with an equal "
            "row of X, which is the same item. Remove such pairs."
        )
