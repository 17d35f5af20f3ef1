"""The Matérn-5/2 covariance of unit variance, smooth or in part rough, in closed form."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

_ROOT = math.sqrt(5.0)


class Profile(NamedTuple):
    """A covariance as a function of the distance in lengthscales.

    Attributes:
        roughness: Share of the variance that is rough, in [0, 1].
        fineness: Lengthscale of the rough part in units of the other's.
    """

    roughness: float = 0.0
    fineness: float = 1.0

    def value_and_slope(self, distance: Tensor) -> tuple[Tensor, Tensor]:
        """The covariance at a distance, and minus its derivative by the squared distance.

        Args:
            distance: Distances in lengthscales, without a gradient.

        Returns:
            Two tensors of the same shape, the first in [0, 1].
        """
        value, slope = matern_value_and_slope(distance)
        if self.roughness == 0.0:
            return value, slope
        rough, rough_slope = matern_value_and_slope(distance / self.fineness)
        steeper = self.roughness / self.fineness**2
        slope = slope.mul_(1.0 - self.roughness).add_(rough_slope, alpha=steeper)
        return value.lerp_(rough, self.roughness), slope


def matern_value(distance: Tensor) -> Tensor:
    """The smooth covariance at a distance.

    Args:
        distance: Distances in lengthscales.

    Returns:
        A tensor of the same shape, in [0, 1].
    """
    r = _ROOT * distance
    polynomial = (1.0 + r).add_(r.square().div_(3.0))  # large matrices wait for new memory
    return r.neg().exp_() * polynomial


def matern_value_and_slope(distance: Tensor) -> tuple[Tensor, Tensor]:
    """The same, and minus its derivative with respect to the squared distance.

    Args:
        distance: Distances in lengthscales, without a gradient.

    Returns:
        Two tensors of the same shape.
    """
    r = _ROOT * distance
    value, slope = matern_at(r, r.square())
    return value, slope.mul_(5.0 / 6.0)


def matern_at(root: Tensor, squared: Tensor) -> tuple[Tensor, Tensor]:
    """The smooth covariance, and -6 times its derivative by five times the squared distance.

    Args:
        root: Root of five times the squared distance in lengthscales; it is overwritten.
        squared: Five times the squared distance, of the same shape.

    Returns:
        Two tensors of the same shape.
    """
    decay = root.neg().exp_()
    slope = root.add_(1.0).mul_(decay)
    return torch.addcmul(slope, squared, decay, value=1.0 / 3.0), slope
