"""How many of the points that each point met were better."""

import torch
from torch import Tensor

from botorch_popbo.data.order import Order

#: Pairs that are compared at a time, which bounds memory.
MAX_PAIRS = 2**20


def count_better(order: Order, noisy: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Count better points in every list, and add up the lists of a task.

    Args:
        order: The order.
        noisy: Which tasks' variances count, a mask; elsewhere scores are taken at their word. By
            default those of all tasks.

    Returns:
        Numbers of better points, expected ones under noise, and of points met, for each point of
        each task (:attr:`~botorch_popbo.data.Order.ranked`), in the precision of the scores.
    """
    list_index, places = order.list_index, order.places
    sizes = list_index.bincount()
    # Entries sorted by list and score: the better ones of a list are those behind an entry.
    behind = sizes.cumsum(0)[list_index] - places.copies.cumsum(0)[places.inverse]
    better, others = behind.to(order.score), (sizes[list_index] - 1).to(order.score)
    has_noise = order.variance > 0
    if noisy is not None:
        has_noise = has_noise & noisy[order.task_index]
    if bool(has_noise.any()):
        better = _expected_better(order, better, has_noise)
    compared = torch.where(order.is_censored, better, others)
    none, record = order.score.new_zeros(len(order.ranked.rows)), order.ranked.inverse
    return none.index_add(0, record, better), none.index_add(0, record, compared)


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
    # Rows meet the entries of their own lists only: more of them at a time would meet more lists.
    step = min(2**10, max(1, MAX_PAIRS // int(sizes.max())))
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
