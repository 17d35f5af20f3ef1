"""From BoTorch's data set of rankings."""

from typing import cast

from botorch.exceptions import InputDataError
from botorch.utils.containers import SliceContainer
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
