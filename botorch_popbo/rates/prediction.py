"""Utilities of new points given those of the records."""

from dataclasses import dataclass
from typing import Self

import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import MaternKernel
from torch import Tensor

from botorch_popbo.rates.covariance import JITTER, MEAN_VARIANCE
from botorch_popbo.rates.evidence import Conditioned


@dataclass(frozen=True)
class Predictor:
    """The conditional law of a Gaussian process, in double precision.

    An order does not fix the level of the utilities. All variances are therefore those of the
    difference to the records' average.

    Attributes:
        kernel: The prior's kernel, of unit variance, without the unknown mean.
        X: Encoded records, ``N x d``.
        weights: Inverse covariance times utilities, of shape ``N``.
        root: Transposed inverse of the covariance's lower Cholesky factor, ``N x N``.
        spread_root: Square root of the covariance of ``weights``, which the order leaves open,
            ``N x L``.
        average: Prior covariance of the records' average with each record, of shape ``N``.
    """

    kernel: MaternKernel
    X: Tensor
    weights: Tensor
    root: Tensor
    spread_root: Tensor
    average: Tensor

    @classmethod
    def from_fit(cls, X: Tensor, conditioned: Conditioned) -> Self:
        """Prepare predictions.

        Args:
            X: Encoded records, ``N x d``.
            conditioned: The same records, conditioned on their order.

        Returns:
            The predictor.
        """
        utilities = conditioned.utilities
        kernel = MaternKernel(nu=2.5, ard_num_dims=X.shape[-1]).to(X)
        kernel.lengthscale = conditioned.log_theta[:-1].exp()
        kernel.requires_grad_(False)
        eye = torch.eye(len(X), dtype=X.dtype, device=X.device)
        root = torch.linalg.solve_triangular(conditioned.covariance.factor, eye, upper=False)
        average = kernel.forward(X, X).mean(0)
        return cls(kernel, X, utilities.weights, root.T, utilities.spread_root, average)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of each point's utility.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Two tensors of shape ``batch_shape``.
        """
        cross = self.kernel.forward(X.reshape(-1, X.shape[-1]), self.X)
        prior = 1.0 - 2.0 * cross.mean(-1) + self.average.mean()
        variance = prior - self._explained(cross - self.average)
        return self._mean(cross).reshape(X.shape[:-1]), variance.reshape(X.shape[:-1])

    def pessimistic(self, X: Tensor) -> Tensor:
        """Expected utility less the standard deviation that is due to noise and distance.

        Args:
            X: Encoded points, ``n x d``.

        Returns:
            A tensor of shape ``n``.
        """
        cross = self.kernel.forward(X, self.X)
        known, _ = self._parts(cross - self.average)
        variance = 1.0 - 2.0 * cross.mean(-1) + self.average.mean() - known.square().sum(-1)
        lowered: Tensor = self._mean(cross) - variance.clamp_min(0.0).sqrt()
        return lowered

    def joint(self, X: Tensor, noise: Tensor) -> MultivariateNormal:
        """Joint law of the utilities of ``q`` points.

        Args:
            X: Encoded points, ``batch_shape x q x d``.
            noise: Variance of independent noise, a scalar tensor.

        Returns:
            A normal law of event shape ``q``.
        """
        cross = self.kernel.forward(X, self.X)
        shared = cross.mean(-1)
        prior = self.kernel.forward(X, X) - shared.unsqueeze(-1) - shared.unsqueeze(-2)
        explained, spread = self._parts(cross - self.average)
        covariance = prior + self.average.mean() - explained @ explained.mT + spread @ spread.mT
        covariance = covariance + torch.diag_embed((noise + JITTER).expand(covariance.shape[:-1]))
        return MultivariateNormal(self._mean(cross), covariance)

    def _mean(self, cross: Tensor) -> Tensor:
        return cross @ self.weights + MEAN_VARIANCE * self.weights.sum()

    def _parts(self, cross: Tensor) -> tuple[Tensor, Tensor]:
        return cross @ self.root, cross @ self.spread_root

    def _explained(self, cross: Tensor) -> Tensor:
        """Reduction of the prior variance, less what the order leaves open."""
        known, left_open = self._parts(cross)
        return known.square().sum(-1) - left_open.square().sum(-1)
