r"""What one statement does to the law of one difference of utilities.

Each function takes the mean and the variance of a normal law of a difference :math:`u`, multiplies
it by the likelihood of a statement, and returns the logarithm of the integral and the moments of
what comes out. Nothing else in the model knows of the kind of a statement.
``docs/derivations.md``, "Sites", has the formulas.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.likelihoods.normal import above_zero

# Nodes of the trapezoidal rule for a distance, and what stretches them towards zero, where the
# density of log u falls off slowly. With these the moments are exact to 1e-8.
_NODES = torch.arange(-8.0, 6.6, 0.4, dtype=torch.double)
_STRETCH = 0.02


class Tilted(NamedTuple):
    """A normal law of ``u`` times the likelihood of a statement.

    Attributes:
        log_normalizer: Logarithm of the integral.
        mean: Mean of the normalised product.
        variance: Its variance.
    """

    log_normalizer: Tensor
    mean: Tensor
    variance: Tensor


def truncate(mean: Tensor, variance: Tensor, noise: Tensor | float = 0.0) -> Tilted:
    """One of a pair is better, for certain or as a noisy judge says: ``Phi(u / sqrt(noise))``."""
    total = variance + noise
    deviation = total.sqrt()
    score = mean / deviation
    above, spread = above_zero(score)
    return Tilted(
        torch.special.log_ndtr(score),
        mean * noise / total + variance / deviation * above,
        (variance * noise + variance.square() * spread) / total,
    )


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
    rate = concentration * torch.exp(-log_gap)
    # exp(-rate u) shifts the normal law; what is left is u^c.
    shifted = mean - rate * variance
    power = (concentration + 1.0) * variance  # the density of log u has one factor u more
    root = (shifted.square() + 4.0 * power).sqrt()
    # Without cancellation on either side of zero.
    mode = torch.where(shifted > 0.0, 0.5 * (shifted + root), 2.0 * power / (root - shifted))
    width = (variance / (mode.square() + power)).sqrt()
    nodes = _NODES.to(mean)
    step = nodes - _STRETCH * (torch.exp(-nodes) - 1.0)
    offset = width.unsqueeze(-1) * step  # of log u from its mode
    ratio = torch.exp(offset)
    relative = (ratio - 1.0) * mode.unsqueeze(-1)
    # Relative to the mode, so that nothing large is subtracted.
    lean = (mode - shifted).unsqueeze(-1)
    log_density = (concentration + 1.0) * offset - (relative.square() + 2.0 * lean * relative) / (
        2.0 * variance.unsqueeze(-1)
    )
    weight = torch.exp(log_density) * (1.0 + _STRETCH * torch.exp(-nodes))
    total = weight.sum(-1)
    weight = weight / total.unsqueeze(-1)
    first = (weight * relative).sum(-1)
    spread = (weight * (relative - first.unsqueeze(-1)).square()).sum(-1)
    log_mode = mode.log()
    at_mode = (
        (concentration + 1.0) * log_mode
        - concentration * log_gap
        - 0.5 * (mode - mean).square() / variance
        - rate * mode
    )
    constant = concentration * concentration.log() - torch.lgamma(concentration)
    log_normalizer = (
        at_mode
        + constant
        + (total * width * (nodes[1] - nodes[0])).log()
        - 0.5 * (2.0 * math.pi * variance).log()
    )
    mean_log = log_mode + (weight * offset).sum(-1)
    return Tilted(log_normalizer, mode + first, spread), mean_log
