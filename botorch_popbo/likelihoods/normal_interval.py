"""The probability that a standard normal variable lies in an interval."""

import torch
from torch import Tensor


def log_prob(lower: Tensor, upper: Tensor) -> Tensor:
    """Logarithm of the probability of an interval, finite also where that is too small a number.

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
