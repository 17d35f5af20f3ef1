"""To and from BoTorch's data set of rankings."""

from typing import cast

import torch
from botorch.exceptions import InputDataError, UnsupportedError
from botorch.utils.containers import DenseContainer, SliceContainer
from botorch.utils.datasets import RankingDataset

from botorch_popbo.data._checks import check_items
from botorch_popbo.data._rows import distinct_rows, points_at
from botorch_popbo.data.order import Order


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


def to_ranking_dataset(
    order: Order, feature_names: list[str] | None = None, outcome_name: str = "ranking"
) -> RankingDataset:
    """Write the lists as BoTorch's data set, which loses their variances and tasks.

    The rest of a top-k list becomes a tie.

    Args:
        order: Lists that are all of the same length, such as pairs, or one list.
        feature_names: Names of the ``d`` columns; by default ``x0``, ``x1`` and so on.
        outcome_name: Name of the ranking.

    Returns:
        The data set.

    Raises:
        UnsupportedError: If lists differ in length, which BoTorch's data set has no place for.
    """
    sizes = order.list_index.bincount().unique()
    if len(sizes) != 1:
        raise UnsupportedError(
            f"The lists are of {sizes.tolist()} points, but a RankingDataset has lists of one "
            "length. Make a data set of each length."
        )
    size, dim = int(sizes), order.X.shape[-1]
    by_list = order.list_index.argsort(stable=True)
    score = order.score[by_list].reshape(-1, size)
    ranks = (score.unsqueeze(-2) > score.unsqueeze(-1)).sum(-1)
    return RankingDataset(
        X=SliceContainer(
            values=order.X,
            indices=cast(torch.LongTensor, order.item[by_list].reshape(-1, size)),
            event_shape=torch.Size([size * dim]),
        ),
        Y=DenseContainer(values=ranks, event_shape=torch.Size([size])),
        feature_names=feature_names or [f"x{i}" for i in range(dim)],
        outcome_names=[outcome_name],
    )
