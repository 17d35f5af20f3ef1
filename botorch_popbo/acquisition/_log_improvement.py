"""Logarithms of what a normal variable is expected to gain."""

from typing import Any

import torch
from botorch.acquisition.analytic import _log_ei_helper
from botorch.utils.probability.utils import log_phi
from torch import Tensor

from botorch_popbo._once_differentiable import once_differentiable

#: Smaller variances are taken for this one.
MIN_VARIANCE = 1e-20


def deviation_of(variance: Tensor) -> Tensor:
    """The root of a variance, which rounding may have made negative."""
    return variance.clamp_min(MIN_VARIANCE).sqrt()


def log_improvement(mean: Tensor, variance: Tensor) -> Tensor:
    r"""Logarithm of :math:`E[\max(z, 0)]` for normal :math:`z`, finite however small it is.

    Args:
        mean: Means.
        variance: Variances, of the same shape, taken for at least :data:`MIN_VARIANCE`.

    Returns:
        A tensor of the same shape, once differentiable.
    """
    return _LogImprovement.apply(mean, variance)


def log_augmentation(variance: Tensor, noise: Tensor) -> Tensor:
    r"""Logarithm of :math:`1 - \sigma / \sqrt{v + \sigma^2}`, low where noise hides what is left.

    Args:
        variance: What evaluations would remove of the variance of a point's utility.
        noise: The variance of an outcome, a scalar tensor.

    Returns:
        A tensor of the shape of ``variance``, at most 0.
    """
    # By log1p and expm1: of a variance far below the noise the difference would be lost.
    log_total = torch.log1p(variance.clamp_min(MIN_VARIANCE) / noise)
    return (-torch.expm1(-0.5 * log_total)).log()


class _LogImprovement(torch.autograd.Function):
    r"""With :math:`u = m / s` the expectation is :math:`s\,(\phi(u) + u\,\Phi(u))`.

    Its derivatives with respect to mean and variance are :math:`\Phi(u)` and :math:`\phi(u) / 2s`.
    The value is BoTorch's (Ament et al., 2023), whose branches autograd would visit one by one.
    """

    @staticmethod
    def forward(ctx: Any, mean: Tensor, variance: Tensor) -> Tensor:
        deviation = deviation_of(variance)
        score = mean / deviation
        log_value: Tensor = _log_ei_helper(score)  # of a deviation of one
        ctx.save_for_backward(score, deviation, log_value)
        return log_value + deviation.log()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        score, deviation, log_value = ctx.saved_tensors
        # Two logarithms of the size of the squared score lose their difference.
        is_far = score < -1e3
        by_mean = torch.exp(torch.special.log_ndtr(score) - log_value)
        by_mean = torch.where(is_far, -score, by_mean) / deviation
        by_variance = torch.exp(log_phi(score) - log_value)
        by_variance = torch.where(is_far, score.square(), by_variance) / (2 * deviation.square())
        return gradient * by_mean, gradient * by_variance
