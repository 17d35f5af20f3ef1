"""An order as ranked records."""

import torch

from botorch_popbo.data._counts import count_better
from botorch_popbo.data.order import Order
from botorch_popbo.models._observations.answers import answers_of
from botorch_popbo.models._observations.known_variance import known_variance
from botorch_popbo.models._observations.observations import Observations


def observations_of(order: Order) -> Observations:
    """Rank the points of every task.

    A known variance of a score counts by how far one deviation reaches.

    Args:
        order: The order.

    Returns:
        The records, in double precision.
    """
    # A task of several lists may contradict itself, so it is a judge's.
    judged = order.task_of_list.bincount() > 1
    # Of outcomes the order is what is learned from. Of answers a tie is half a loss.
    better, met = count_better(order, noisy=judged)
    item, task = order.item[order.ranked.rows], order.task_index[order.ranked.rows]
    if not order.num_lists:  # points that have met none, each a task of its own
        item = task = torch.arange(order.num_points, device=order.X.device)
        better = met = torch.zeros_like(item, dtype=torch.double)
        judged = torch.zeros_like(item, dtype=torch.bool)
    records = Observations(
        item=item,
        task=task,
        counts=better.double(),
        exposure=met.double(),
        is_judged=judged[task],
        known_variance=torch.zeros_like(better, dtype=torch.double),
        num_points=order.num_points,
        answers=answers_of(order, judged),
        source=torch.zeros_like(item),
    )
    # The first guess of utilities is the scale on which a standard error has a length.
    for index in (~judged).nonzero().squeeze(-1):
        entry = (order.task_index == index).nonzero().squeeze(-1)
        own = order.ranked.inverse[entry]
        records.known_variance[own] = known_variance(
            order.score[entry], order.variance[entry], records.start[own]
        )
    return records
