"""Logarithms of normal probabilities, and their slopes, far out in the tails as well."""

import math

import torch
from torch import Tensor


def log_prob_between(lower: Tensor, upper: Tensor) -> Tensor:
    """Log-probability of an interval, finite also where that is too small a number.

    Args:
        lower: Lower ends.
        upper: Upper ends, of the same shape.

    Returns:
        Log-probabilities of that shape.
    """
    # Further out nothing is left, and this way no end has a slope that is no number.
    lower, upper = (end.clamp(-1e4, 1e4) for end in (lower, upper))
    # In the left tail the logarithm of the distribution function keeps its digits.
    flip = lower > 0.0
    upper, lower = torch.where(flip, -lower, upper), torch.where(flip, -upper, lower)
    log_upper: Tensor = torch.special.log_ndtr(upper)
    share = -torch.expm1(torch.special.log_ndtr(lower) - log_upper)
    return log_upper + share.clamp_min(torch.finfo(share.dtype).tiny).log()


def hazard(score: Tensor) -> Tensor:
    """Derivative of the logarithm of the distribution function.

    Args:
        score: Standard normal scores.

    Returns:
        A tensor of their shape.
    """
    # Far below zero both underflow, and above it the scaled error function overflows. A clamp would
    # have no slope at zero itself.
    is_below = score < 0.0
    low, high = score.where(is_below, 0.0), score.where(~is_below, 0.0)
    below = math.sqrt(2.0 / math.pi) / torch.special.erfcx(-low / math.sqrt(2.0))
    above = torch.exp(-0.5 * high.square()) / (math.sqrt(2.0 * math.pi) * torch.special.ndtr(high))
    return torch.where(is_below, below, above)


def above_zero(score: Tensor) -> tuple[Tensor, Tensor]:
    """Moments of a normal variable of variance one, given that it is positive.

    Args:
        score: Its means without that.

    Returns:
        Means and variances, of their shape.
    """
    rate = hazard(score)
    # Far below zero differences have no digits left, and these series do.
    square = score.square().clamp_min(100.0)
    mean = torch.where(score < -100.0, -score / (square + 2.0 - 6.0 / square), score + rate)
    variance = 1.0 / (square + 6.0 - 14.0 / square)
    return mean, torch.where(score < -100.0, variance, 1.0 - rate * (score + rate))
