"""Replicates: evaluations of the same point, merged before ranking."""

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.data._rows import DistinctRows, lexicographic_order


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
    # Sorted, so that rounding does not depend on the order of the evaluations. Measured from a copy
    # of the largest weight, the lowest, so that the mean of equal numbers is that number and one of
    # little weight leaves no digits of its own; halved, so that none overflows.
    weights = torch.ones_like(outcomes) if weights is None else weights
    order = lexicographic_order(outcomes, weights)
    outcomes, weights, inverse = outcomes[order], weights[order], inverse[order]
    start = outcomes.new_full((num_points,), torch.inf)
    largest = -start.scatter_reduce(0, inverse, -weights, "amin")
    counted = torch.where(weights == largest[inverse], outcomes, torch.inf)
    lowest = start.scatter_reduce(0, inverse, counted, "amin")
    total = torch.zeros_like(lowest).index_add_(0, inverse, weights)
    above = (outcomes / 2 - lowest[inverse] / 2) * weights / total[inverse]
    above = torch.where((weights > 0) & lowest[inverse].isfinite(), above, 0.0)
    half = torch.zeros_like(lowest).index_add_(0, inverse, above)
    return lowest + half + half


def weighted_means(
    outcomes: Tensor, variances: Tensor, distinct: DistinctRows
) -> tuple[Tensor, Tensor]:
    """Means weighted by inverse variance; copies without noise share all the weight.

    Args:
        outcomes: Outcomes, of shape ``N``.
        variances: Their variances, of shape ``N``; those of failures are ignored.
        distinct: The ``m`` distinct points.

    Returns:
        The means and their variances, both of shape ``m``.
    """
    variances = torch.where(outcomes.isfinite(), variances, 0.0)
    start = torch.full_like(outcomes[distinct.rows], torch.inf)
    smallest = start.scatter_reduce(0, distinct.inverse, variances, "amin")
    # Relative to the most exact copy, so that no weight overflows.
    relative = smallest[distinct.inverse] / variances
    weights = torch.where(variances > 0, relative, 1.0)
    means = mean_of_copies(outcomes, distinct.inverse, weights)
    weights, order = weights.sort()
    total = torch.zeros_like(smallest).index_add_(0, distinct.inverse[order], weights)
    return means, smallest / total


def pooled_means(outcomes: Tensor, distinct: DistinctRows) -> tuple[Tensor, Tensor]:
    """Means, with one variance that is estimated from the spread of all replicates.

    Args:
        outcomes: Outcomes, of shape ``N``.
        distinct: The ``m`` distinct points.

    Returns:
        The means and their variances, both of shape ``m``, in a unit of the size of the noise.

    Raises:
        InputDataError: If no point has replicates that all succeeded.
    """
    means = mean_of_copies(outcomes, distinct.inverse)
    success = means.isfinite()
    freedom = (distinct.copies[success] - 1).sum()
    if not bool(freedom):
        raise InputDataError(
            "The noise cannot be estimated: no point was evaluated twice without a failure. "
            "Evaluate some points again, or use from_outcomes, with Yvar if the noise is known."
        )
    # Halved and relative to the largest, so that no square overflows or vanishes.
    halves = outcomes / 2 - means[distinct.inverse] / 2
    halves = halves[success[distinct.inverse]].abs().sort().values
    largest = halves[-1]
    spread = largest * ((halves / largest).square().sum() / freedom).sqrt()
    if not bool(spread > 0):
        return means, torch.zeros_like(means)
    # So that the square of the spread neither overflows nor vanishes, and every mean stays finite.
    unit = torch.maximum(spread, means[success].abs().amax() * torch.finfo(means.dtype).tiny)
    return means / unit, 4 * (spread / unit).square() / distinct.copies.to(means)
