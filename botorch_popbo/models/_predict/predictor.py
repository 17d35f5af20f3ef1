"""Utilities of new points given those of the records."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import torch
from gpytorch.kernels import Kernel
from torch import Tensor

from botorch_popbo.likelihoods.weights import JITTER
from botorch_popbo.models._fit.evidence import Conditioned
from botorch_popbo.models._fit.hyperparameters import Modules

#: Of a variance that is a difference, so that rounding leaves it a deviation to divide by.
MIN_VARIANCE = 1e-12
_BLOCK = 2**18  # entries of a matrix of covariances
_COLUMNS = 128  # of a triangular matrix, whose upper part is left out


@dataclass(frozen=True)
class Predictor:
    """The posterior of a Gaussian process, in double precision.

    An order does not fix the level of the utilities. All variances are therefore those of the
    difference to the average of the target's records. The utility of a source's record is
    correlated with that of the target.

    Attributes:
        kernel: The prior's kernel, without the unknown mean.
        X: Encoded records, ``N x d``.
        correlation: Correlations of the tasks' utilities, the target's first.
        source: Which source each record is from, and 0 for the target; of shape ``N``.
        share: Weight of each record in the average, of shape ``N``.
        noise: Noise variances of the records, of shape ``N``.
        weights: Inverse covariance times utilities, of shape ``N``.
        root: A square root of what the records would explain if their utilities were certain,
            ``N x M`` for ``M`` comparisons.
        ordered_root: A square root of what their order explains, ``N x M``.
        average: Prior covariance of the records' average with each record, of shape ``N``.
    """

    kernel: Kernel
    X: Tensor
    correlation: Tensor
    source: Tensor
    share: Tensor
    noise: Tensor
    weights: Tensor
    root: Tensor
    ordered_root: Tensor
    average: Tensor

    @classmethod
    def from_fit(cls, X: Tensor, conditioned: Conditioned, modules: Modules) -> Self:
        """Prepare predictions.

        Args:
            X: Encoded records, ``N x d``.
            conditioned: The same records, conditioned on their order.
            modules: Kernel and tasks with the hyperparameters of ``conditioned``.

        Returns:
            The predictor.
        """
        utilities, source = conditioned.utilities, conditioned.source
        noise, is_target = conditioned.record_noise, (source == 0).double()
        share = is_target / is_target.sum()
        return cls(
            kernel=modules.kernel,
            X=X,
            correlation=modules.correlation,
            source=source,
            share=share,
            noise=noise,
            weights=utilities.weights,
            root=utilities.root,
            ordered_root=utilities.ordered_root,
            # The level is that of utilities, which have no noise.
            average=share @ conditioned.covariance - share * (noise + JITTER),
        )

    @property
    def loading(self) -> Tensor:
        """Correlation of each record's utility with that of the target, of shape ``N``."""
        return self.correlation[0, self.source]

    @property
    def left_open(self) -> Tensor:
        """Covariance of :attr:`weights`, which the order leaves open, ``N x N``."""
        return self.root @ self.root.T - self.ordered_root @ self.ordered_root.T

    def cross(self, X: Tensor) -> Tensor:
        """Prior covariance of points with the records.

        Args:
            X: Encoded points, ``batch_shape x q x d``.

        Returns:
            A ``batch_shape x q x N`` tensor.
        """
        return self.kernel(X, self.X).to_dense() * self.loading

    def mean(self, X: Tensor) -> Tensor:
        """Expected utilities.

        Args:
            X: Encoded points, ``batch_shape x q x d``.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        return self._in_blocks(X, lambda points: self.cross(points) @ self.weights)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of each point's utility.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Two tensors of shape ``batch_shape``.
        """

        def moments(points: Tensor) -> Tensor:
            cross = self.cross(points)
            variance = self._prior_variance(points, cross) - self._explained(cross)
            return torch.stack([cross @ self.weights, variance])

        mean, variance = self._in_blocks(X, moments)
        return mean, variance

    def pessimistic(self, X: Tensor) -> Tensor:
        """Expected utility less the standard deviation that is due to noise and distance.

        Args:
            X: Encoded points, ``n x d``.

        Returns:
            A tensor of shape ``n``.
        """
        cross = self.cross(X)
        # What would be left of the variance if the known utilities were certain.
        explained = ((cross - self.average) @ self.root).square().sum(-1)
        variance = self._prior_variance(X, cross) - explained
        return cross @ self.weights - variance.clamp_min(0.0).sqrt()

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
        shared1, shared2 = cross1 @ self.share, cross2 @ self.share
        # Of the difference to the records' average: "Prediction" in docs/derivations.md.
        prior = self.kernel(X1, X2).to_dense() - shared1.unsqueeze(-1) - shared2.unsqueeze(-2)
        explained1 = (cross1 - self.average) @ self.ordered_root
        explained2 = explained1 if same else (cross2 - self.average) @ self.ordered_root
        level = self.average @ self.share
        return prior + level - explained1 @ explained2.mT

    def _in_blocks(self, X: Tensor, law: Callable[[Tensor], Tensor]) -> Tensor:
        """Evaluate points in parts whose covariances with the records stay in the cache."""
        points = X.reshape(-1, X.shape[-1])
        rows = max(1, _BLOCK // len(self.X))
        values = law(points[:rows])
        if len(points) > rows:  # results of their own would pin the memory between them
            first, values = values, values.new_empty(*values.shape[:-1], len(points))
            values[..., :rows] = first
            for start in range(rows, len(points), rows):
                part = slice(start, start + rows)
                values[..., part] = law(points[part])
        return values.reshape(*values.shape[:-1], *X.shape[:-1])

    @cached_property
    def _triangle(self) -> tuple[Tensor, ...]:
        """A triangular matrix with the square of :attr:`ordered_root`, in parts, ``n x m``."""
        # A product needs the square of the root only, and with a triangle half of the work.
        upper = torch.linalg.qr(self.ordered_root.mT, mode="r").R
        columns = upper.mT.split(_COLUMNS, dim=-1)
        return tuple(part[i * _COLUMNS :] for i, part in enumerate(columns))

    def _explained(self, cross: Tensor) -> Tensor:
        """What the order explains of each point's variance; less work than by the root."""
        relative = cross - self.average
        parts = [relative[:, -len(part) :] @ part for part in self._triangle]
        return torch.linalg.vector_norm(torch.cat(parts, dim=-1), dim=-1).square()

    def _prior_variance(self, X: Tensor, cross: Tensor) -> Tensor:
        return self.kernel(X, diag=True) - 2.0 * cross @ self.share + self.average @ self.share
