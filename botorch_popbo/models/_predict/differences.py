"""How much better new points are than a reference, fast enough for an optimizer's inner loop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor

from botorch_popbo._once_differentiable import once_differentiable
from botorch_popbo.models._predict.predictor import Predictor
from botorch_popbo.models.kernels import Covariance, scaling_and_covariance

Moments = tuple[Tensor, Tensor, Tensor]
Pullback = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Differences:
    """The posterior of how much better points are than a reference.

    The reference's own uncertainty is part of it, and what both have in common is not. An optimizer
    asks for a few points hundreds of times. So all that does not depend on them is prepared, and
    the gradient is in closed form: autograd would take half as long again.

    Attributes:
        covariance: The prior's covariance of scaled points.
        scaling: The map of points to the kernel's directions and lengthscales, ``d x d``.
        X: Encoded records, then the reference, scaled, ``(N + 1) x d``.
        origin: Prior covariance of the reference with a target's record at each, of shape ``N``.
        share: Weight of each record in the average, of shape ``N``.
        variances: Prior variance of the reference, and of the records' average; of shape ``2``.
        shift: What the records explain of the reference relative to their average, of shape ``M``.
        weights: Loading times inverse covariance times utilities, of shape ``N``.
        root: Loading times a square root of what certain utilities would explain, ``N x M``.
        ordered_root: Loading times a square root of what the order explains, ``N x M``.
    """

    covariance: Covariance
    scaling: Tensor
    X: Tensor
    origin: Tensor
    share: Tensor
    variances: Tensor
    shift: Tensor
    weights: Tensor
    root: Tensor
    ordered_root: Tensor

    @classmethod
    def from_predictor(cls, predictor: Predictor, reference: Tensor) -> Self:
        """Prepare predictions.

        Args:
            predictor: The posterior of utilities.
            reference: One encoded point, of shape ``d``.

        Returns:
            The posterior of differences.
        """
        scaling, covariance = scaling_and_covariance(predictor.kernel, len(reference))
        X = torch.cat([predictor.X, reference.unsqueeze(0)]) @ scaling
        origin, own, _ = covariance.value_and_pullback(X[-1:], X[:-1])
        loading, columns = predictor.loading, predictor.loading.unsqueeze(-1)
        return cls(
            covariance=covariance,
            scaling=scaling,
            X=X,
            origin=origin[0],
            share=predictor.share,
            variances=torch.stack([own[0], predictor.average @ predictor.share]),
            shift=(origin[0] * loading - predictor.average) @ predictor.root,
            weights=loading * predictor.weights,
            root=columns * predictor.root,
            ordered_root=columns * predictor.ordered_root,
        )

    def moments(self, X: Tensor) -> Moments:
        """Mean and variance of how much better each point is, and what is left to learn there.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Three tensors of shape ``batch_shape``, once differentiable in ``X``. The last is the
            part of the variance of a point's own utility that more evaluations would remove.
        """
        moments = _Moments.apply(X.reshape(-1, X.shape[-1]), self)
        mean, variance, own = (values.reshape(X.shape[:-1]) for values in moments)
        return mean, variance, own

    def moments_and_pullback(self, X: Tensor) -> tuple[Moments, Pullback]:
        """The same, and their derivative without autograd's graph.

        Args:
            X: Encoded points, ``n x d``.

        Returns:
            The moments, and what makes slopes with respect to ``X``, ``n x d``, of those with
            respect to each of the moments.
        """
        cross, prior, pulled = self.covariance.value_and_pullback(X @ self.scaling, self.X)
        known, reference = cross[:, :-1], cross[:, -1]
        # Derived in docs/derivations.md: of a difference to the reference the level cancels, and
        # what is left to learn is relative to the average of the records.
        relative = known - self.origin
        ordered = relative @ self.ordered_root
        explained = relative @ self.root + self.shift
        of_reference, of_average = self.variances
        variance = prior + of_reference - 2.0 * reference - ordered.square().sum(-1)
        own = prior + of_average - 2.0 * known @ self.share - explained.square().sum(-1)

        def pullback(by_mean: Tensor, by_variance: Tensor, by_own: Tensor) -> Tensor:
            twice, twice_own = 2.0 * by_variance.unsqueeze(-1), 2.0 * by_own.unsqueeze(-1)
            by_records = -(twice * ordered) @ self.ordered_root.T
            by_records -= (twice_own * explained) @ self.root.T
            by_records += by_mean.unsqueeze(-1) * self.weights - twice_own * self.share
            by_cross = torch.cat([by_records, -twice], dim=-1)
            return pulled(by_cross, by_variance + by_own) @ self.scaling.T

        return (relative @ self.weights, variance, own), pullback


class _Moments(torch.autograd.Function):
    """Moments of the differences of ``n`` points."""

    @staticmethod
    def forward(ctx: Any, points: Tensor, differences: Differences) -> Moments:
        moments, ctx.pullback = differences.moments_and_pullback(points)
        ctx.save_for_backward(points)  # what a second derivative would be of
        return moments

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        return ctx.pullback(*slopes), None
