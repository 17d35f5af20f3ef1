"""How many points of its list an entry of an order is worse than."""

import torch
from torch import Tensor

from botorch_popbo.data.order import Order

#: Pairs that are compared at a time, which bounds memory.
MAX_PAIRS = 2**20


def count_better(order: Order, noisy: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Count better points in every list, and add up the lists of a task.

    Args:
        order: The order.
        noisy: Of which tasks variances and draws count, a mask; elsewhere scores are taken at their
            word. By default those of all tasks.

    Returns:
        Numbers of better points, expected ones under noise, and of points met, for each point of
        each task (:attr:`~botorch_popbo.data.Order.ranked`), in the precision of the scores.
    """
    list_index, places = order.list_index, order.places
    sizes, copies = list_index.bincount(), places.copies[places.inverse]
    # Entries sorted by list and score: the better ones of a list are those behind an entry.
    behind = sizes.cumsum(0)[list_index] - places.copies.cumsum(0)[places.inverse]
    better, others = behind.to(order.score), (sizes[list_index] - 1).to(order.score)
    counts = torch.ones_like(order.is_draw) if noisy is None else noisy[order.task_index]
    better = torch.where(order.is_draw & counts, better + 0.5 * (copies - 1), better)
    for index in list_index[(order.variance > 0) & counts].unique():
        entry = ((list_index == index) & order.score.isfinite()).nonzero().squeeze(-1)
        better[entry] = _expected_better(order.score[entry], order.variance[entry])
    compared = torch.where(order.is_censored, better, others)
    none, record = order.score.new_zeros(len(order.ranked.rows)), order.ranked.inverse
    return none.index_add(0, record, better), none.index_add(0, record, compared)


def _expected_better(score: Tensor, variance: Tensor) -> Tensor:
    """Expected numbers of better entries of one list, of independent normal scores."""
    # Halved, so that no difference overflows.
    score, deviation = score / 2, variance.sqrt() / 2
    expected = torch.zeros_like(score)
    rows_at_a_time = max(1, MAX_PAIRS // max(1, len(score)))
    for rows in torch.arange(len(score), device=score.device).split(rows_at_a_time):
        scale = torch.hypot(deviation[rows, None], deviation)
        difference = score - score[rows, None]
        probability = torch.special.ndtr(difference / scale)
        probability = torch.where(scale > 0, probability, (difference > 0).to(score))
        probability.scatter_(1, rows[:, None], 0.0)  # nobody meets himself
        expected[rows] = probability.sum(-1)
    return expected


def insert_counts(
    counts: Tensor, exposure: Tensor, num_points: int, predicted: Tensor
) -> tuple[Tensor, Tensor]:
    """Add points at predicted ranks, as if they had been evaluated.

    A new point is better than exactly the known points of which at least as large a share of
    points is better, and than the new ones predicted to rank behind it. Every record then met
    that many points more.

    Args:
        counts: Numbers of better points, of shape ``m``.
        exposure: Numbers of points compared with, of shape ``m``.
        num_points: Number of known points.
        predicted: Predicted counts of the ``p`` new points among the known ones.

    Returns:
        Counts and exposures of known and new points, of shape ``m + p``.
    """
    num_new = len(predicted)
    # A record that met few points is placed by its share of better ones.
    placed = counts / exposure.clamp_min(1.0) * (num_points - 1)
    better = (predicted <= placed.unsqueeze(-1)).sum(-1).to(counts)
    ahead = (predicted < predicted.unsqueeze(-1)).sum(-1).to(counts)
    longest = num_points + num_new - 1.0
    new = (predicted.to(counts) + ahead).clamp_max(longest)
    met = torch.cat([exposure + num_new, exposure.new_full((num_new,), longest)])
    return torch.cat([counts + better, new]), met
