"""Lists of one task that may contradict each other, as answers to "which of the two?"."""

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.data._tally import Tally
from botorch_popbo.data.order import Order
from botorch_popbo.likelihoods.order import Relations
from botorch_popbo.models._forest import neighbours


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
    columns = order.list_index[is_entry], -order.score[is_entry]
    if not bool(is_entry.any()):
        return no_answers(is_entry.device)
    _, level, _ = distinct_rows(*columns)
    is_rest = torch.zeros(int(level.max()) + 1, dtype=torch.bool, device=level.device)
    is_rest[level] = order.is_censored[is_entry]
    pairs = neighbours(level, columns[0], is_rest, torch.zeros_like(is_rest))
    record = _records_of(order, tallied)[is_entry]
    better, worse = record[pairs.better], record[pairs.worse]
    weight = 1.0 - 0.5 * pairs.is_tied.double()
    tied = pairs.is_tied
    better, worse = torch.cat([better, worse[tied]]), torch.cat([worse, better[tied]])
    distinct = distinct_rows(better, worse)
    counted = weight.new_zeros(len(distinct.rows))
    counted = counted.index_add_(0, distinct.inverse, torch.cat([weight, weight[tied]]))
    return _answers(better[distinct.rows], worse[distinct.rows], counted)


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
    return _answers(better, worse)


def no_answers(device: torch.device) -> Relations:
    """None at all."""
    return _answers(*torch.zeros(2, 0, dtype=torch.long, device=device).unbind())


def _records_of(order: Order, tallied: Tally) -> Tensor:
    """Which record each entry of the lists belongs to."""
    number = order.num_points
    key = tallied.task * number + tallied.item  # rises
    return torch.searchsorted(key, order.task_index * number + order.item)


def _answers(better: Tensor, worse: Tensor, counted: Tensor | None = None) -> Relations:
    ones = torch.ones_like(better, dtype=torch.double)
    never = torch.zeros_like(better, dtype=torch.bool)
    return Relations(better, worse, never, ones if counted is None else counted)
