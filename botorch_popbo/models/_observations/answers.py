"""Lists of one task that may contradict each other, as answers to "which of the two?"."""

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.data.order import TIE_VARIANCE, Order
from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.models._observations.neighbours import ends_of_lists


def answers_of(order: Order, judged: Tensor) -> Comparisons:
    """What lists say of pairs of records.

    A list of more than two is taken for answers about neighbours, and a best one for an answer
    against each of the others. A tie counts half for either side. Equal answers are counted. A
    known variance of an answer is that of its judge, in units of the others' common one.

    Args:
        order: The order.
        judged: Which tasks are known by answers, a mask.

    Returns:
        The answers; none if there is no such task.
    """
    level, leader = order.places.inverse, order.places.rows
    entry = torch.arange(len(level), device=level.device)
    is_judged = judged[order.task_index]
    _, is_best = ends_of_lists(order.list_index[leader])  # of its list, whose scores rise
    loses = is_judged & ~is_best[level]
    draws = is_judged & (entry != leader[level]) & ~order.is_censored
    # Against one of the next better level, as in a ranking: the list does not say more.
    winner, drawn = leader.roll(-1)[level][loses], leader[level][draws]
    better = order.ranked.inverse[torch.cat([winner, drawn, entry[draws]])]
    worse = order.ranked.inverse[torch.cat([entry[loses], entry[draws], drawn])]
    weight = torch.where(torch.arange(len(better), device=level.device) < len(winner), 1.0, 0.5)
    # How much more than others whoever was asked errs; the variance of a tie is a mark.
    errs = torch.where(order.variance > TIE_VARIANCE, order.variance.double(), 1.0)[loses]
    noise = torch.cat([errs, errs.new_ones(len(better) - len(errs))])
    distinct = distinct_rows(better, worse, noise)
    counted = torch.zeros_like(distinct.rows, dtype=torch.double)
    counted = counted.index_add_(0, distinct.inverse, weight.double())
    kept = distinct.rows
    return Comparisons.judged(better[kept], worse[kept], counted, noise[kept])


def expected_answers(utility: Tensor, known: Tensor, number: int) -> Comparisons:
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
    return Comparisons.judged(better, worse)
