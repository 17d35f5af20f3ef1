r"""What one statement does to the law of one difference of utilities.

Each function takes the mean and the variance of a normal law of a difference :math:`u`, multiplies
it by the likelihood of a statement, and returns the logarithm of the integral and the moments of
what comes out. Nothing else in the model knows of the kind of a statement.
``docs/derivations.md``, "Sites", has the formulas.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.likelihoods.normal import above_zero

# The trapezoidal rule in the logarithm of a distance, and what stretches its nodes towards zero,
# where the density falls off slowly. The moments are exact to 1e-5, for all but the least
# concentrations to 1e-9.
_NODES = torch.arange(-8.0, 6.6, 0.4, dtype=torch.double)
_STEPS = _NODES - 0.02 * torch.expm1(-_NODES)
_SPACING = 0.4 * (1.0 + 0.02 * torch.exp(-_NODES))


class Tilted(NamedTuple):
    """A normal law of ``u`` times the likelihood of a statement.

    Attributes:
        log_normalizer: Logarithm of the integral.
        mean: Mean of the normalized product.
        variance: Its variance.
    """

    log_normalizer: Tensor
    mean: Tensor
    variance: Tensor


#: What an answer does to a law, given means, variances and noise.
Site = Callable[[Tensor, Tensor, Tensor], Tilted]


def truncate(mean: Tensor, variance: Tensor, noise: Tensor | float = 0.0) -> Tilted:
    """One of a pair is better, for certain or as a noisy judge says: ``Phi(u / sqrt(noise))``."""
    total = variance + noise
    deviation = total.sqrt()
    score = mean / deviation
    above, spread = above_zero(score)
    tilted_mean = mean * noise / total + variance / deviation * above
    tilted_variance = (variance * noise + variance.square() * spread) / total
    return Tilted(torch.special.log_ndtr(score), tilted_mean, tilted_variance)


def logit(mean: Tensor, variance: Tensor, noise: Tensor | float = math.pi**2 / 3.0) -> Tilted:
    """The same of a judge with logistic noise of that variance, which by default is sigmoid(u)."""
    ratios, log_shares = _logistic_mixture()
    noises = torch.as_tensor(noise).unsqueeze(-1) * ratios.to(mean)
    log_values, means, variances = truncate(mean.unsqueeze(-1), variance.unsqueeze(-1), noises)
    log_shares = log_values + log_shares.to(mean)
    log_normalizer = log_shares.logsumexp(-1)
    shares = torch.exp(log_shares - log_normalizer.unsqueeze(-1))
    mean = (shares * means).sum(-1)
    spread = variances + (means - mean.unsqueeze(-1)).square()
    return Tilted(log_normalizer, mean, (shares * spread).sum(-1))


@cache
def _logistic_mixture() -> tuple[Tensor, Tensor]:
    """Normal laws that make up a logistic one: their variances in its own, and log-shares.

    A logistic variable is normal, with 2 K for its deviation, where K is Kolmogorov's (Andrews and
    Mallows, 1974). The trapezoidal rule in log K has probabilities right within 1e-8, and their
    logarithms within 1e-3 down to that of e^-30.
    """
    k = torch.logspace(math.log10(0.28), math.log10(4.0), 18, dtype=torch.double)
    number = torch.arange(1.0, 25.0, dtype=torch.double).unsqueeze(-1)
    square = (number * k).square()
    density = ((-1.0) ** (number + 1.0) * square * torch.exp(-2.0 * square)).sum(0)
    return 12.0 / math.pi**2 * k.square(), (density / density.sum()).log()


def tie(mean: Tensor, variance: Tensor, tolerance: Tensor | float) -> Tilted:
    """The two of a pair tie: ``exp(-u^2 / (2 tolerance)) / 2``."""
    total = variance + tolerance
    share = tolerance / total
    log_normalizer = 0.5 * (torch.log(share) - mean.square() / total) - math.log(2.0)
    return Tilted(log_normalizer, share * mean, share * variance)


def distance(
    mean: Tensor, variance: Tensor, log_gap: Tensor, concentration: Tensor
) -> tuple[Tilted, Tensor]:
    """One is better by about so much: the gap is ``u`` divided by a gamma variable of mean one.

    Args:
        mean: Of the normal law, of shape ``m``.
        variance: Of the normal law, of shape ``m``.
        log_gap: Logarithm of the difference that the outcomes suggest, of shape ``m``.
        concentration: Shape ``c`` of the gamma variable, a scalar tensor.

    Returns:
        The law, and the mean of ``log u`` under it.
    """
    shape = concentration + 1.0  # the density of log u has one factor u more
    rate = concentration * torch.exp(-log_gap)
    # exp(-rate u) shifts the normal law; what is left is u^c.
    shifted, power = mean - rate * variance, shape * variance
    root = (shifted.square() + 4.0 * power).sqrt()
    # Without cancellation on either side of zero.
    mode = torch.where(shifted > 0.0, 0.5 * (shifted + root), 2.0 * power / (root - shifted))
    bend = mode.square() / variance
    width = (bend + shape).rsqrt()
    # Relative to the mode, where u (u - shifted) is the power, nothing large is subtracted.
    offset = width.unsqueeze(-1) * _STEPS.to(mean)
    ratio = torch.expm1(offset)
    log_density = shape * (offset - ratio) - (0.5 * bend).unsqueeze(-1) * ratio.square()
    weight = log_density.exp_() * _SPACING.to(mean)
    total = weight.sum(-1)
    weight /= total.unsqueeze(-1)
    above = (weight * ratio).sum(-1)
    spread = (weight * (ratio - above.unsqueeze(-1)).square()).sum(-1)
    log_mode = mode.log()
    constant = concentration * concentration.log() - torch.lgamma(concentration)
    at_mode = shape * log_mode - concentration * log_gap - rate * mode
    normal = (mode - mean).square() / variance + (2.0 * math.pi * variance).log()
    log_normalizer = at_mode - 0.5 * normal + (total * width).log() + constant
    law = Tilted(log_normalizer, mode + mode * above, mode.square() * spread)
    return law, log_mode + (weight * offset).sum(-1)
