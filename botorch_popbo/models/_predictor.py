"""Utilities of new points given those of the records."""

from dataclasses import dataclass
from typing import Self

import torch
from gpytorch.kernels import Kernel
from torch import Tensor

from botorch_popbo.models._covariance import MEAN_VARIANCE
from botorch_popbo.models._evidence import Conditioned


@dataclass(frozen=True)
class Predictor:
    """The conditional law of a Gaussian process, in double precision.

    An order does not fix the level of the utilities. All variances are therefore those of the
    difference to the records' average.

    Attributes:
        kernel: The prior's kernel, without the unknown mean.
        X: Encoded records, ``N x d``.
        noise: Noise variances of the records, of shape ``N``.
        weights: Inverse covariance times utilities, of shape ``N``.
        root: A square root of what the records explain, ``N x N``.
        spread_root: Square root of the covariance of ``weights``, which the order leaves open,
            ``N x L``.
        average: Prior covariance of the records' average with each record, of shape ``N``.
    """

    kernel: Kernel
    X: Tensor
    noise: Tensor
    weights: Tensor
    root: Tensor
    spread_root: Tensor
    average: Tensor

    @classmethod
    def from_fit(cls, X: Tensor, conditioned: Conditioned, kernel: Kernel) -> Self:
        """Prepare predictions.

        Args:
            X: Encoded records, ``N x d``.
            conditioned: The same records, conditioned on their order.
            kernel: The kernel with the hyperparameters of ``conditioned``.

        Returns:
            The predictor.
        """
        utilities = conditioned.utilities
        eye = torch.eye(len(X), dtype=X.dtype, device=X.device)
        root = torch.linalg.solve_triangular(conditioned.covariance.factor, eye, upper=False)
        average = kernel(X, X).to_dense().mean(0)
        return cls(
            kernel=kernel,
            X=X,
            noise=conditioned.record_noise,
            weights=utilities.weights,
            root=root.T,
            spread_root=utilities.spread_root,
            average=average,
        )

    def cross(self, X: Tensor) -> Tensor:
        """Prior covariance of points with the records.

        Args:
            X: Encoded points, ``batch_shape x q x d``.

        Returns:
            A ``batch_shape x q x N`` tensor.
        """
        covariance: Tensor = self.kernel(X, self.X).to_dense()
        return covariance

    def mean(self, X: Tensor) -> Tensor:
        """Expected utilities.

        Args:
            X: Encoded points, ``batch_shape x q x d``.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        return self._mean(self.cross(X))

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of each point's utility.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Two tensors of shape ``batch_shape``.
        """
        points = X.reshape(-1, X.shape[-1])
        cross = self.cross(points)
        prior = self._prior_variance(points, cross)
        known, left_open = self._parts(cross)
        variance = prior - (known.square().sum(-1) - left_open.square().sum(-1))
        return self._mean(cross).reshape(X.shape[:-1]), variance.reshape(X.shape[:-1])

    def unexplained(self, X: Tensor) -> Tensor:
        """Variance of each point's utility if the known utilities were certain.

        Args:
            X: Encoded points, ``n x d``.

        Returns:
            A tensor of shape ``n``.
        """
        return self._unexplained(X, self.cross(X))

    def pessimistic(self, X: Tensor) -> Tensor:
        """Expected utility less the standard deviation that is due to noise and distance.

        Args:
            X: Encoded points, ``n x d``.

        Returns:
            A tensor of shape ``n``.
        """
        cross = self.cross(X)
        lowered: Tensor = self._mean(cross) - self._unexplained(X, cross).clamp_min(0.0).sqrt()
        return lowered

    def covariance(self, X1: Tensor, X2: Tensor) -> Tensor:
        """Covariance of the utilities of two sets of points.

        Args:
            X1: Encoded points, ``batch_shape x n x d``.
            X2: Encoded points, ``batch_shape x m x d``.

        Returns:
            A ``batch_shape x n x m`` tensor.
        """
        same = X1 is X2
        cross1 = self.cross(X1)
        cross2 = cross1 if same else self.cross(X2)
        shared1, shared2 = self._mean_of_records(cross1), self._mean_of_records(cross2)
        prior = self.kernel(X1, X2).to_dense() - shared1.unsqueeze(-1) - shared2.unsqueeze(-2)
        known1, open1 = self._parts(cross1)
        known2, open2 = (known1, open1) if same else self._parts(cross2)
        level = self._mean_of_records(self.average)
        covariance: Tensor = prior + level - known1 @ known2.mT + open1 @ open2.mT
        return covariance

    def _unexplained(self, X: Tensor, cross: Tensor) -> Tensor:
        known, _ = self._parts(cross)
        return self._prior_variance(X, cross) - known.square().sum(-1)

    def _mean(self, cross: Tensor) -> Tensor:
        return cross @ self.weights + MEAN_VARIANCE * self.weights.sum()

    def _mean_of_records(self, cross: Tensor) -> Tensor:
        return cross.mean(-1)

    def _prior_variance(self, X: Tensor, cross: Tensor) -> Tensor:
        variance: Tensor = self.kernel(X, diag=True)
        return variance - 2.0 * self._mean_of_records(cross) + self._mean_of_records(self.average)

    def _parts(self, cross: Tensor) -> tuple[Tensor, Tensor]:
        """What the records explain, and what the order leaves open of it."""
        relative = cross - self.average
        return relative @ self.root, relative @ self.spread_root
