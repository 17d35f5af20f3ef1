"""Logarithms of normal probabilities, and their slopes, far out in the tails as well."""

import torch
from botorch.utils.probability.utils import log_phi
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
    # A quotient of logarithms: far below zero density and distribution function both underflow.
    return torch.exp(log_phi(score) - torch.special.log_ndtr(score))
