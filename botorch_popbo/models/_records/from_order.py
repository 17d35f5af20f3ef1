"""An order as ranked records."""

from dataclasses import replace

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.data._tally import tally
from botorch_popbo.data.order import Order
from botorch_popbo.likelihoods.relations import Relations
from botorch_popbo.models._records.answers import answers_of
from botorch_popbo.models._records.known_variance import known_variance
from botorch_popbo.models._records.records import Records


def records_of(order: Order) -> Records:
    """Rank the points of every task.

    A known variance of a score counts by how far one deviation reaches.

    Args:
        order: The order.

    Returns:
        The records, in double precision.
    """
    if not order.num_lists:
        return _alone(order)
    judged = _is_judged(order)
    # Of outcomes the order is what is learned from. Of answers a tie is half a loss.
    tallied = tally(order, noisy=judged)
    task, is_judged = tallied.task, judged[tallied.task]
    records = Records.ranked(
        item=tallied.item,
        task=task,
        counts=tallied.better,
        exposure=tallied.compared,
        is_judged=is_judged,
        known_variance=torch.zeros_like(tallied.better).double(),
        num_points=order.num_points,
        answers=answers_of(order, tallied, is_judged),
    )
    known = torch.zeros_like(records.start)
    for index in task[~is_judged].unique():
        own, entries = task == index, (order.task_index == index).nonzero().squeeze(-1)
        entries = entries[order.item[entries].argsort()]
        known[own] = known_variance(
            order.score[entries], order.variance[entries], records.start[own]
        )
    return replace(records, known_variance=known)


def _alone(order: Order) -> Records:
    """Points that have met none, each a task of its own."""
    item = torch.arange(order.num_points, device=order.X.device)
    never = torch.zeros_like(item, dtype=torch.double)
    return Records.ranked(
        item=item,
        task=item,
        counts=never,
        exposure=never,
        is_judged=never.bool(),
        known_variance=never,
        num_points=order.num_points,
        answers=Relations.judged(item[:0], item[:0]),
    )


def _is_judged(order: Order) -> Tensor:
    """Which tasks have several lists."""
    lists = distinct_rows(order.task_index, order.list_index)
    return order.task_index[lists.rows].bincount() > 1
