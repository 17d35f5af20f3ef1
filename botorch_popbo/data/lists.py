"""Orders of lists and pairs: items sorted by someone who need not measure them."""

from collections.abc import Sequence
from typing import cast

import torch
from botorch.exceptions import InputDataError
from botorch.utils.containers import SliceContainer
from botorch.utils.datasets import RankingDataset
from torch import Tensor

from botorch_popbo.data._checks import as_indices, check_items
from botorch_popbo.data._rows import distinct_rows, points_at
from botorch_popbo.data.order import Order


def from_ordering(X: Tensor, ordering: Tensor | Sequence[int]) -> Order:
    """Order items by their place in a list, complete or partial.

    A complete list gives the same counts as :func:`from_outcomes` with outcomes that sort the
    items in this way. Items that are not listed are left out. O(N log N).

    Assumption: every listed item has been compared with every other listed one, without ties, and
    the listed items are a fair sample of the points.

    Args:
        X: Items, an ``N x d`` tensor.
        ordering: Indices of rows of ``X``, best first, of shape ``m``. Listing two equal rows of
            ``X`` is an error, like listing one row twice: it would give a point two ranks.

    Returns:
        One list of the ``m`` items.

    Raises:
        BotorchTensorDimensionError: If the shapes are wrong.
        InputDataError: If ``X`` is not finite or not of a floating-point dtype, if an index is not
            an integer, out of range or repeated, if two listed items are equal, if fewer than two
            are listed, or if the devices differ.
    """
    check_items(X)
    items = as_indices(ordering, X, "ordering")
    return _list(X, items, len(items))


def from_top_k(X: Tensor, top: Tensor | Sequence[int], rest: Tensor | Sequence[int]) -> Order:
    """Order the best items by their place, and the rest as worse than all of them.

    Of a remaining item nothing is known but that it is worse than every top item. Items in neither
    list are left out. With an empty rest this is :func:`from_ordering`. O(N log N).

    Assumption: every top item is better than every remaining one, the remaining ones have not
    been compared with each other, and all of them together are a fair sample of the points.

    Args:
        X: Items, an ``N x d`` tensor.
        top: Indices of rows of ``X``, best first, at least one.
        rest: Indices of rows of ``X`` in any order. Naming two equal rows of ``X``, in whichever
            list, is an error, like naming one row twice: it would give a point two ranks.

    Returns:
        One list of all named items, of which the rest is censored.

    Raises:
        BotorchTensorDimensionError: If the shapes are wrong.
        InputDataError: If ``X`` is not finite or not of a floating-point dtype, if an index is not
            an integer, out of range or repeated, if two named items are equal, if ``top`` is
            empty or fewer than two items are named, or if the devices differ.
    """
    check_items(X)
    best, others = as_indices(top, X, "top"), as_indices(rest, X, "rest")
    return _list(X, torch.cat([best, others]), len(best))


def from_ranking_dataset(dataset: RankingDataset) -> Order:
    """Read rankings of ``k`` items each, as BoTorch's preference models take them.

    Assumption: that of :func:`from_comparisons`; the rankings belong to one task.

    Args:
        dataset: The rankings, whose ranks start at 0 for the best item.

    Returns:
        One list for each ranking, all of one task.

    Raises:
        InputDataError: If an item is not finite, or is twice in one ranking.
    """
    container = cast(SliceContainer, dataset._X)
    values = container.values
    check_items(values)
    distinct = distinct_rows(*values.unbind(-1))
    items = distinct.inverse[container.indices]
    if bool((items.sort(-1).values.diff(dim=-1) == 0).any()):
        raise InputDataError("A ranking holds an item, or an equal one, twice. List it once.")
    return Order.from_rankings(points_at(values, distinct.rows), items, -dataset.Y.to(values))


def _list(X: Tensor, items: Tensor, num_best: int) -> Order:
    """One list of items, each of which may be listed once; behind the best all are censored."""
    if not num_best or len(items) < 2:
        raise InputDataError(
            "A list names two items or more, and one at least in its place, but got "
            f"{len(items)}, of which {num_best} have one. Name more items."
        )
    distinct = distinct_rows(*X[items].unbind(-1))
    if distinct.rows.shape[0] < items.shape[0]:
        point = int((distinct.copies > 1).nonzero()[0])
        first, second = items[distinct.inverse == point][:2].tolist()
        if first == second:
            raise InputDataError(f"Item {first} is listed twice. List every item once.")
        raise InputDataError(
            f"Rows {first} and {second} of X are equal and both listed, so one point would have "
            "two ranks. List one of them."
        )
    place = distinct.rows.clamp_max(num_best)
    points = points_at(X, items[distinct.rows])
    return Order.from_scores(points, (-place).to(X), is_censored=place == num_best)


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
        raise InputDataError("There are no comparisons. Pass at least one comparison or tie.")
    distinct = distinct_rows(*X.unbind(-1))
    pairs = [distinct.inverse[decided], distinct.inverse[drawn]]
    for pair, name in zip(pairs, ("comparisons", "ties"), strict=True):
        same = (pair[:, 0] == pair[:, 1]).nonzero()
        if len(same):
            raise InputDataError(
                f"Row {int(same[0])} of {name} compares an item with itself or with an equal row "
                "of X, which is the same item. Remove such pairs."
            )
    items = torch.cat(pairs)
    score = torch.zeros_like(items).to(X)
    score[: len(decided), 0] = 1.0
    return Order.from_rankings(points_at(X, distinct.rows), items, score)
