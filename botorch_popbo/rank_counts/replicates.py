"""Replicates: evaluations of the same point, merged before ranking."""

import torch
from torch import Tensor

from botorch_popbo.rank_counts.rows import distinct_rows, lexicographic_order, points_at


def merge_replicates(X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor]:
    """Average the outcomes of equal points.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor.

    Returns:
        The ``m`` distinct points in lexicographic order, ``m x d``, and their mean outcomes, ``m``;
        minus infinity where a copy failed.
    """
    distinct = distinct_rows(*X.unbind(-1))
    return points_at(X, distinct.rows), mean_of_copies(Y.reshape(-1), distinct.inverse)


def mean_of_copies(outcomes: Tensor, inverse: Tensor, weights: Tensor | None = None) -> Tensor:
    """Average outcomes of equal points, exactly where the copies are equal.

    Args:
        outcomes: Outcomes, of shape ``N``.
        inverse: Which of the ``m`` distinct points each outcome belongs to, of shape ``N``.
        weights: Weights, of shape ``N``, at least one positive for each point; equal by default.

    Returns:
        Weighted means, of shape ``m``; minus infinity where a copy with a weight failed.
    """
    num_points = int(inverse.max()) + 1 if inverse.numel() else 0
    if num_points == outcomes.shape[0]:
        return torch.empty_like(outcomes).index_copy_(0, inverse, outcomes)
    # Sorted, so that rounding does not depend on the order of the evaluations. Measured from the
    # lowest copy, so that the mean of equal numbers is that number; halved, so that none overflows.
    if weights is None:
        outcomes, order = outcomes.sort()
        weights = torch.ones_like(outcomes)
    else:
        order = lexicographic_order(outcomes, weights)
        outcomes, weights = outcomes[order], weights[order]
    inverse = inverse[order]
    counted = torch.where(weights > 0, outcomes, torch.inf)
    start = outcomes.new_full((num_points,), torch.inf)
    lowest = start.scatter_reduce(0, inverse, counted, "amin")
    total = torch.zeros_like(lowest).index_add_(0, inverse, weights)
    above = (outcomes / 2 - lowest[inverse] / 2) * weights / total[inverse]
    above = torch.where((weights > 0) & lowest[inverse].isfinite(), above, 0.0)
    half = torch.zeros_like(lowest).index_add_(0, inverse, above)
    return lowest + half + half
