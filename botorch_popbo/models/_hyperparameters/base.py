"""What is fitted: the hyperparameters of a kernel and the noise variance, as one vector."""

import math
from abc import ABC, abstractmethod
from typing import Self

import torch
from botorch.exceptions import UnsupportedError
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel
from torch import Tensor

from botorch_popbo.models._hyperparameters.covariance import CovarianceFunction

_INSIDE = 1e-4  # of a bound


class Hyperparameters(ABC):
    """Hyperparameters of a kernel, then one that stands for the noise, in double precision.

    The search takes place in coordinates in which a unit step is as large as the uncertainty.

    Attributes:
        loc: Origin of the coordinates, of shape ``p + 1``.
        scale: Unit of the coordinates, of the same shape.
        limits: Least and largest values, ``(p + 1) x 2``.
    """

    loc: Tensor
    scale: Tensor
    limits: Tensor

    def standardize(self, theta: Tensor) -> Tensor:
        """Hyperparameters in the coordinates of the search."""
        return (theta - self.loc) / self.scale

    def restore(self, standardized: Tensor) -> Tensor:
        """The inverse of :meth:`standardize`."""
        return self.loc + self.scale * standardized

    @property
    def rotation(self) -> Tensor | None:
        """Directions of the lengthscales in its columns, ``d x d``, unless they are fixed."""
        return None

    def rotated(self, axes: Tensor) -> Self:
        """The same hyperparameters, of lengthscales along other directions.

        Args:
            axes: Directions in the coordinates of the present ones, in columns, ``d x d``.

        Returns:
            Hyperparameters that assign the directions, too.

        Raises:
            UnsupportedError: If the directions are fixed.
        """
        raise UnsupportedError(f"The directions of {type(self).__name__} are fixed.")

    @abstractmethod
    def current(self) -> Tensor:
        """The values that kernel and likelihood have now, of shape ``p + 1``."""

    @abstractmethod
    def assign(self, theta: Tensor) -> None:
        """Give kernel and likelihood other values.

        Args:
            theta: The values, of shape ``p + 1``.
        """

    @abstractmethod
    def noise(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """The noise variance and its derivative with respect to the last hyperparameter.

        Args:
            theta: The values, of shape ``p + 1``.

        Returns:
            Two scalar tensors.
        """

    @abstractmethod
    def log_prior(self, standardized: Tensor) -> tuple[Tensor, Tensor]:
        """The prior's log-density up to a constant and its gradient.

        Args:
            standardized: Coordinates, of shape ``p + 1``.

        Returns:
            A scalar tensor and one of shape ``p + 1``.
        """

    @abstractmethod
    def covariance_function(self, X: Tensor, source: Tensor | None = None) -> CovarianceFunction:
        """The covariance of records.

        Args:
            X: Encoded records, ``N x d``, in double precision.
            source: Which source each record is from, and 0 for the target; of shape ``N``. By
                default all are of the target.

        Returns:
            The covariance as a function of the hyperparameters.
        """

    def correlation(self, theta: Tensor) -> Tensor:
        """Correlations of the utilities of the target and its sources.

        Args:
            theta: The values, of shape ``p + 1``.

        Returns:
            An ``(S + 1) x (S + 1)`` tensor, the target's first.
        """
        return theta.new_ones(1, 1)

    @abstractmethod
    def kernel(self, theta: Tensor) -> Kernel:
        """The target's kernel, a copy with the given values and without gradients.

        Args:
            theta: The values, of shape ``p + 1``.

        Returns:
            The kernel, in double precision.
        """


def limits_of(constraint: Interval) -> Tensor:
    """Bounds of a hyperparameter as a row, of shape ``1 x 2``."""
    return torch.stack([constraint.lower_bound, constraint.upper_bound]).double().reshape(1, 2)


def log_limits_of(constraint: Interval) -> Tensor:
    """Bounds of a positive hyperparameter's logarithm as a row, of shape ``1 x 2``."""
    low, high = float(constraint.lower_bound), float(constraint.upper_bound)
    if constraint.enforced:  # by a transform, in whose last digits a bound itself may be outside
        middle = (low + high) / 2.0
        low, high = min(low * (1.0 + _INSIDE), middle), max(high * (1.0 - _INSIDE), middle)
    logs = [math.log(bound) if bound > 0.0 else -math.inf for bound in (low, high)]
    return torch.tensor([logs], dtype=torch.double, device=constraint.lower_bound.device)
