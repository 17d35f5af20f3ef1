"""Known variances of outcomes, on the scale of utilities."""

import torch
from torch import Tensor


def known_variance(score: Tensor, variance: Tensor, utility: Tensor) -> Tensor:
    """Variances of the scores of one list, carried over to a guess of the utilities.

    The guess is interpolated between the scores. Of the distances up and down to the utilities one
    standard deviation away the larger counts, because beyond the ends of the list nothing is known.

    Args:
        score: Scores, of shape ``m``.
        variance: Their variances, of shape ``m``.
        utility: The guess, rising with the score, of shape ``m``.

    Returns:
        A tensor of shape ``m``; zero for exact scores and for failures.
    """
    finite = score.isfinite()
    known = (variance > 0) & finite
    spread = torch.zeros_like(utility)
    if not bool(known.any()):
        return spread
    # A quarter, so that no difference overflows.
    score, deviation = score.double() / 4.0, variance[known].double().sqrt() / 4.0
    knots, first = score[finite].unique(return_inverse=True)
    values = torch.empty_like(knots).index_copy_(0, first, utility[finite])
    score = score[known]
    reach = [
        (_interpolate(score + sign * deviation, knots, values) - utility[known]).abs()
        for sign in (-1.0, 1.0)
    ]
    spread[known] = torch.maximum(*reach).square()
    return spread


def _interpolate(x: Tensor, knots: Tensor, values: Tensor) -> Tensor:
    """Piecewise linear, constant beyond the ends; knots rise."""
    if len(knots) == 1:
        return values.expand_as(x)
    right = torch.searchsorted(knots, x).clamp(1, len(knots) - 1)
    low, high = knots[right - 1], knots[right]
    share = ((x - low) / (high - low)).clamp(0.0, 1.0)
    return values[right - 1].lerp(values[right], share)
