"""The Matérn-5/2 covariance function of unit variance and its slope, in closed form."""

import math

import torch
from torch import Tensor

_ROOT = math.sqrt(5.0)


def matern_value(distance: Tensor) -> Tensor:
    """The covariance at a distance.

    Args:
        distance: Distances in lengthscales.

    Returns:
        A tensor of the same shape, in [0, 1].
    """
    r = _ROOT * distance
    return torch.exp(-r) * (1.0 + r + r.square() / 3.0)


def matern_slope(distance: Tensor) -> Tensor:
    """Minus the derivative of the covariance with respect to the squared distance.

    Args:
        distance: Distances in lengthscales.

    Returns:
        A tensor of the same shape.
    """
    r = _ROOT * distance
    return torch.exp(-r) * (1.0 + r) * (5.0 / 6.0)
