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
    # In the left tail a difference of distribution functions keeps its digits.
    flip = lower > 0.0
    upper, lower = torch.where(flip, -lower, upper), torch.where(flip, -upper, lower)
    gap: Tensor = torch.special.ndtr(upper) - torch.special.ndtr(lower)
    return gap.clamp_min(torch.finfo(gap.dtype).tiny).log()
