"""Logarithm of the expected positive part of a normal variable."""

import math
from typing import Any

import torch
from botorch.acquisition.analytic import _log_ei_helper
from torch import Tensor

from botorch_popbo._once_differentiable import once_differentiable

#: Smaller variances are taken for this one.
MIN_VARIANCE = 1e-20
_FAR = -1e3
_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


def log_improvement(mean: Tensor, variance: Tensor) -> Tensor:
    r"""Logarithm of :math:`E[\max(z, 0)]` for normal :math:`z`, finite however small it is.

    The value is BoTorch's (Ament et al., 2023), whose branches autograd would visit one by one. The
    derivatives of the expectation itself are the distribution function and the density, so a
    closed form is faster.

    Args:
        mean: Means.
        variance: Variances, of the same shape, taken for at least :data:`MIN_VARIANCE`.

    Returns:
        A tensor of the same shape, once differentiable.
    """
    value: Tensor = _LogImprovement.apply(mean, variance)
    return value


def log_improvement_and_slopes(mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The same with its derivatives, without autograd's graph.

    Args:
        mean: Means.
        variance: Variances, of the same shape.

    Returns:
        The logarithm, and its derivatives with respect to mean and variance, of the same shape.
    """
    value, *parts = _evaluate(mean, variance)
    return value, *_slopes(*parts)


class _LogImprovement(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, mean: Tensor, variance: Tensor) -> Tensor:
        value, *parts = _evaluate(mean, variance)
        ctx.save_for_backward(mean, variance, *parts)
        return value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        by_mean, by_variance = _slopes(*ctx.saved_tensors[2:])
        return gradient * by_mean, gradient * by_variance


def _evaluate(mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The logarithm, the score, the deviation, and the logarithm of a unit deviation."""
    deviation = variance.clamp_min(MIN_VARIANCE).sqrt()
    score = mean / deviation
    log_value: Tensor = _log_ei_helper(score)
    return log_value + deviation.log(), score, deviation, log_value


def _slopes(score: Tensor, deviation: Tensor, log_value: Tensor) -> tuple[Tensor, Tensor]:
    """Derivatives with respect to mean and variance."""
    # Far in the tail two logarithms of the size of the squared score lose their difference.
    is_far = score < _FAR
    log_density = -0.5 * score.square() - _LOG_ROOT_2PI
    by_mean = torch.exp(torch.special.log_ndtr(score) - log_value)
    by_mean = torch.where(is_far, -score, by_mean) / deviation
    by_variance = torch.exp(log_density - log_value)
    by_variance = torch.where(is_far, score.square(), by_variance) / (2 * deviation.square())
    return by_mean, by_variance
