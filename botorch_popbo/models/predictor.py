"""Utilities of new points given those of the records."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import torch
from gpytorch.kernels import Kernel
from gpytorch.means import Mean
from torch import Tensor

from botorch_popbo._once_differentiable import once_differentiable
from botorch_popbo.likelihoods.propagation import JITTER
from botorch_popbo.models.evidence import Conditioned
from botorch_popbo.models.hyperparameters import Modules
from botorch_popbo.models.kernels import dense

#: Of a variance that is a difference, so that rounding leaves it a deviation to divide by.
ROUNDING_VARIANCE = 1e-12
_BLOCK = 2**18  # entries of a matrix of covariances


@dataclass(frozen=True)
class Predictor:
    """The posterior of a Gaussian process, in double precision.

    Statements about differences do not fix the level of the utilities. All variances are therefore
    those of the difference to the average of the target's records. The utility of a source's record
    is correlated with that of the target.

    Attributes:
        kernel: The prior's kernel, without the unknown level.
        trend: The prior's mean.
        X: Encoded records, ``N x d``.
        correlation: Correlations of the tasks' utilities, the target's first.
        source: Which source each record is from, and 0 for the target; of shape ``N``.
        noise: Noise variances of the records, of shape ``N``.
        weights: Inverse covariance times utilities less their prior means, of shape ``N``.
        root: A square root of what statements explain, ``N x M``: the posterior covariance of
            points with the prior covariances ``k`` with the records is less by ``k A A' k'``.
        share: Weight of each record in the average, of shape ``N``.
        average: Prior covariance of the records' average with each record, of shape ``N``.
    """

    kernel: Kernel
    trend: Mean
    X: Tensor
    correlation: Tensor
    source: Tensor
    noise: Tensor
    weights: Tensor
    root: Tensor
    share: Tensor
    average: Tensor

    @classmethod
    def from_fit(cls, X: Tensor, conditioned: Conditioned, modules: Modules) -> Self:
        """Prepare predictions.

        Args:
            X: Records, encoded unless the modules do it, ``N x d``.
            conditioned: The records, conditioned on what is said of them.
            modules: The prior at the hyperparameters of ``conditioned``.

        Returns:
            The predictor.
        """
        is_target = (conditioned.source == 0).double()
        share, noise = is_target / is_target.sum(), conditioned.record_noise
        return cls(
            kernel=modules.kernel,
            trend=modules.trend,
            X=modules.encode(X).detach(),
            correlation=modules.correlation,
            source=conditioned.source,
            noise=noise,
            weights=conditioned.posterior.weights,
            root=conditioned.posterior.root,
            share=share,
            # The level is that of utilities, which have no noise.
            average=share @ conditioned.covariance - share * (noise + JITTER),
        )

    @property
    def loading(self) -> Tensor:
        """Correlation of each record's utility with that of the target, of shape ``N``."""
        return self.correlation[0, self.source]

    @cached_property
    def prior(self) -> Tensor:
        """Prior covariance of the records' utilities, without noise, ``N x N``."""
        return dense(self.kernel, self.X) * self.correlation[self.source][:, self.source]

    @cached_property
    def certain_root(self) -> Tensor:
        """A root of what the records would explain if their noisy utilities were known."""
        return inverse_root(self.prior, self.noise + JITTER)

    def cross(self, X: Tensor) -> Tensor:
        """Prior covariance of points with the records.

        Args:
            X: Encoded points, ``batch_shape x q x d``.

        Returns:
            A ``batch_shape x q x N`` tensor.
        """
        records = self.X if len(self.X) else X[..., :0, :]  # a prior knows no dimension
        return dense(self.kernel, X, records) * self.loading

    def mean(self, X: Tensor) -> Tensor:
        """Expected utilities.

        Args:
            X: Encoded points, ``batch_shape x q x d``.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        return self._in_blocks(X, lambda points: self._mean(points, self.cross(points)))

    def _mean(self, X: Tensor, cross: Tensor) -> Tensor:
        return cross @ self.weights + self.trend(X)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of each point's utility.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Two tensors of shape ``batch_shape``.
        """

        def moments(points: Tensor) -> Tensor:
            cross = self.cross(points)
            explained = ((cross - self.average) @ self.root).square().sum(-1)
            level = self.average @ self.share - 2.0 * cross @ self.share
            variance = self.kernel(points, diag=True) + level - explained
            return torch.stack([self._mean(points, cross), variance])

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
        # What would be left of the variance if the records' utilities were known.
        left = self.kernel(X, diag=True) - (cross @ self.certain_root).square().sum(-1)
        return self._mean(X, cross) - left.clamp_min(0.0).sqrt()

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
        prior = dense(self.kernel, X1, X2) - shared1.unsqueeze(-1) - shared2.unsqueeze(-2)
        explained1 = (cross1 - self.average) @ self.root
        explained2 = explained1 if same else (cross2 - self.average) @ self.root
        return prior + self.average @ self.share - explained1 @ explained2.mT

    def expecting(self, X: Tensor, noise: Tensor) -> Self:
        """The same once points have turned out as expected: one site more for each.

        Args:
            X: Encoded points, ``p x d``.
            noise: Variance of an outcome's noise, a scalar tensor.

        Returns:
            The posterior with the points among its records; the mean is the same.
        """
        cross, number = self.cross(X), len(X)
        explained = self.root @ (self.root.T @ cross.T)
        left = dense(self.kernel, X) - cross @ explained
        half = inverse_root(left, (noise + JITTER).expand(number))
        upper = torch.cat([self.root, -explained @ half], dim=-1)
        lower = torch.cat([half.new_zeros(number, self.root.shape[-1]), half], dim=-1)
        return replace(
            self,
            X=torch.cat([self.X, X]),
            source=torch.cat([self.source, self.source.new_zeros(number)]),
            noise=torch.cat([self.noise, noise.expand(number)]),
            weights=torch.cat([self.weights, half.new_zeros(number)]),
            root=torch.cat([upper, lower]),
            share=torch.cat([self.share, half.new_zeros(number)]),
            average=torch.cat([self.average, cross @ self.share]),
        )

    def believing(self) -> Self:
        """The same if the utilities of all records are what is expected of them.

        An order leaves open what an evaluated point's utility is, and next to it the best place to
        improve would be its own. Taken for known, nothing is to be gained there: the mean stays as
        it is, and the variance is what distance leaves.
        """
        return replace(self, root=inverse_root(self.prior, torch.full_like(self.noise, JITTER)))

    def _in_blocks(self, X: Tensor, law: Callable[[Tensor], Tensor]) -> Tensor:
        """Evaluate points in parts whose covariances with the records stay in the cache."""
        points = X.reshape(-1, X.shape[-1])
        parts = [law(part) for part in points.split(max(1, _BLOCK // max(1, len(self.X))))]
        values = parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1)
        return values.reshape(*values.shape[:-1], *X.shape[:-1])


def inverse_root(covariance: Tensor, variance: Tensor) -> Tensor:
    """``A`` with ``A A' = (C + V)^-1``.

    Args:
        covariance: ``C``, ``n x n``.
        variance: The diagonal of ``V``, of shape ``n``.

    Returns:
        An upper triangular ``n x n`` tensor.
    """
    total = covariance + variance.diag()
    factor = torch.linalg.cholesky(total)
    eye = torch.eye(len(total)).to(total)
    return torch.linalg.solve_triangular(factor, eye, upper=False).T.contiguous()


class Differences:
    """The posterior of how much better points are than a reference.

    The reference's own uncertainty is part of it, and what both have in common is not. An optimizer
    asks for a few points hundreds of times, so all that does not depend on them is prepared.

    Args:
        predictor: The posterior of utilities.
        reference: One encoded point, of shape ``d``.
    """

    def __init__(self, predictor: Predictor, reference: Tensor) -> None:
        point, loading = reference.unsqueeze(0), predictor.loading
        self.kernel, self.X = predictor.kernel, torch.cat([predictor.X, point])
        self.trend, self.level = predictor.trend, predictor.trend(point)
        self.origin: Tensor = dense(self.kernel, point, predictor.X)[0]
        self.prior = self.kernel(point, diag=True)[0]
        self.weights = loading * predictor.weights
        self.root = loading.unsqueeze(-1) * predictor.root
        self.certain_root = loading.unsqueeze(-1) * predictor.certain_root

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean and variance of how much better each point is, and what is left to learn there.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Three tensors of shape ``batch_shape``, once differentiable. The last is the part of the
            variance of a point's own utility that more evaluations would remove.
        """
        # Near the reference both moments are differences of nearly equal numbers.
        points = X.double().reshape(-1, X.shape[-1])
        cross, prior = dense(self.kernel, points, self.X), self.kernel(points, diag=True)
        moments = _Moments.apply(cross, prior, self)
        mean, variance, left = (each.reshape(X.shape[:-1]).to(X) for each in moments)
        return mean + (self.trend(points) - self.level).reshape(X.shape[:-1]).to(X), variance, left


class _Moments(torch.autograd.Function):
    """Moments from covariances; in closed form their gradient costs two matrix products."""

    @staticmethod
    def forward(
        ctx: Any, cross: Tensor, prior: Tensor, differences: Differences
    ) -> tuple[Tensor, Tensor, Tensor]:
        # "Differences to an uncertain incumbent" in docs/derivations.md.
        relative = cross[:, :-1] - differences.origin
        explained = relative @ differences.root
        certain = cross[:, :-1] @ differences.certain_root
        variance = prior + differences.prior - 2.0 * cross[:, -1] - explained.square().sum(-1)
        ctx.differences = differences
        ctx.save_for_backward(explained, certain)
        return relative @ differences.weights, variance, prior - certain.square().sum(-1)

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, by_mean: Tensor, by_variance: Tensor, by_left: Tensor
    ) -> tuple[Tensor | None, ...]:
        (explained, certain), differences = ctx.saved_tensors, ctx.differences
        twice = -2.0 * by_variance.unsqueeze(-1)
        pull = torch.outer(by_mean, differences.weights)
        pull += (twice * explained) @ differences.root.mT
        pull += (-2.0 * by_left.unsqueeze(-1) * certain) @ differences.certain_root.mT
        return torch.cat([pull, twice], dim=-1), by_variance + by_left, None
