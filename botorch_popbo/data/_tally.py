"""How many of the points that a point met were better."""

from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.data.order import Order

_MAX_PAIRS = 2**20  # held in memory at a time
_MAX_ROWS = 2**10  # at a time, which meet the entries of their own lists only


class Tally(NamedTuple):
    """One record for each point of each task, by ascending task and item.

    Attributes:
        task: Which task each record is of, of shape ``m``.
        item: Which point each record is about, of shape ``m``.
        better: Numbers of better points, expected ones under noise, of shape ``m``.
        compared: Numbers of points compared with, of shape ``m``.
    """

    task: Tensor
    item: Tensor
    better: Tensor
    compared: Tensor


def tally(order: Order, noisy: Tensor | None = None) -> Tally:
    """Count better points in every list, and add up the lists of a task.

    Args:
        order: The order.
        noisy: Which tasks' variances count, a mask; elsewhere scores are taken at their word. By
            default those of all tasks.

    Returns:
        The counts, in the precision of the scores.
    """
    score, list_index = order.score, order.list_index
    _, level, copies = distinct_rows(list_index, score)
    sizes = list_index.bincount()
    # Entries sorted by list and score: the better ones of a list are those behind an entry.
    better = (sizes.cumsum(0)[list_index] - copies.cumsum(0)[level]).to(score)
    others = (sizes[list_index] - 1).to(score)
    has_noise = order.variance > 0
    if noisy is not None:
        has_noise = has_noise & noisy[order.task_index]
    if bool(has_noise.any()):
        better = _expected_better(order, better, has_noise)
    compared = torch.where(order.is_censored, better, others)
    records = distinct_rows(order.task_index, order.item)
    zeros = score.new_zeros(len(records.rows))
    return Tally(
        task=order.task_index[records.rows],
        item=order.item[records.rows],
        better=zeros.index_add(0, records.inverse, better),
        compared=zeros.index_add(0, records.inverse, compared),
    )


def _expected_better(order: Order, strict: Tensor, has_noise: Tensor) -> Tensor:
    """Expected numbers of better entries in lists with noise, strict ones elsewhere."""
    noisy_lists = order.list_index[has_noise].unique()
    is_noisy = torch.isin(order.list_index, noisy_lists) & order.score.isfinite()
    if not bool(is_noisy.any()):  # but failures
        return strict
    entry = is_noisy.nonzero().squeeze(-1)
    entry = entry[order.list_index[entry].argsort(stable=True)]
    # Halved, so that no difference overflows.
    score, deviation = order.score[entry] / 2, order.variance[entry].sqrt() / 2
    lists = order.list_index[entry].unique_consecutive(return_inverse=True)[1]
    sizes = lists.bincount()
    ends = sizes.cumsum(0)  # of the lists, whose entries follow each other
    step = min(_MAX_ROWS, max(1, _MAX_PAIRS // int(sizes.max())))
    counts = strict.clone()
    for start in range(0, len(entry), step):
        rows = slice(start, start + step)
        first, last = lists[rows][[0, -1]]
        met = slice(int(ends[first] - sizes[first]), int(ends[last]))
        scale = torch.hypot(deviation[rows, None], deviation[met])
        difference = score[met] - score[rows, None]
        probability = torch.special.ndtr(difference / scale)
        probability = torch.where(scale > 0, probability, (difference > 0).to(score))
        probability.diagonal(start - met.start).fill_(0.0)
        probability *= lists[met] == lists[rows, None]
        counts[entry[rows]] = probability.sum(-1)
    return counts
