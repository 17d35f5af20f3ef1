"""Lists of one task that may contradict each other, as answers to "which of the two?"."""

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.data._tally import Tally
from botorch_popbo.data.order import Order
from botorch_popbo.likelihoods.relations import Relations
from botorch_popbo.models._records.forest import ends_of_lists, first_of_each


def answers_of(order: Order, tallied: Tally, is_judged: Tensor) -> Relations:
    """What lists say of pairs of records.

    A list of more than two is taken for answers about neighbours, and a best one for an answer
    against each of the others. A tie counts half for either side. Equal answers are counted.

    Args:
        order: The order.
        tallied: Its records.
        is_judged: Which records are known by answers, of shape ``m``.

    Returns:
        The answers; none if there is no judged record.
    """
    is_entry = torch.isin(order.task_index, tallied.task[is_judged])
    if not bool(is_entry.any()):
        nobody = is_entry.nonzero().squeeze(-1)
        return Relations.judged(nobody, nobody)
    list_index = order.list_index[is_entry]
    _, level, _ = distinct_rows(list_index, -order.score[is_entry])
    leader = first_of_each(level)
    opens, _ = ends_of_lists(list_index[leader])
    entry = torch.arange(len(level), device=level.device)
    loses = ~opens[level]
    draws = (entry != leader[level]) & ~order.is_censored[is_entry]
    winner, drawn = leader.roll(1)[level][loses], leader[level][draws]
    record = _records_of(order, tallied)[is_entry]
    better = record[torch.cat([winner, drawn, entry[draws]])]
    worse = record[torch.cat([entry[loses], entry[draws], drawn])]
    weight = torch.where(torch.arange(len(better), device=level.device) < len(winner), 1.0, 0.5)
    distinct = distinct_rows(better, worse)
    counted = torch.zeros_like(distinct.rows, dtype=torch.double)
    counted = counted.index_add_(0, distinct.inverse, weight.double())
    return Relations.judged(better[distinct.rows], worse[distinct.rows], counted)


def between(utility: Tensor, known: Tensor, number: int) -> Relations:
    """Answers that place new records where they are expected.

    Args:
        utility: Expected utilities of ``m`` records, then of the new ones.
        known: Which of the ``m`` are comparable, of shape ``m``.
        number: Number of new ones.

    Returns:
        For each new record the answers for the next better known one and against the next worse.
    """
    order = known.nonzero().squeeze(-1)
    order = order[utility[order].argsort(descending=True, stable=True)]
    new = torch.arange(len(utility) - number, len(utility), device=utility.device)
    above = torch.searchsorted(-utility[order], -utility[new])
    has_better, has_worse = above > 0, above < len(order)
    better = torch.cat([order[above[has_better] - 1], new[has_worse]])
    worse = torch.cat([new[has_better], order[above[has_worse]]])
    return Relations.judged(better, worse)


def _records_of(order: Order, tallied: Tally) -> Tensor:
    """Which record each entry of the lists belongs to."""
    number = order.num_points
    key = tallied.task * number + tallied.item  # rises
    return torch.searchsorted(key, order.task_index * number + order.item)
