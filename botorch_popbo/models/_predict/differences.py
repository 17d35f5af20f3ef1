"""How much better new points are than a reference, fast enough for an optimizer's inner loop."""

from typing import Any

import torch
from gpytorch.settings import lazily_evaluate_kernels
from torch import Tensor

from botorch_popbo._once_differentiable import once_differentiable
from botorch_popbo.models._predict.predictor import Predictor

Moments = tuple[Tensor, Tensor, Tensor]


class Differences:
    """The posterior of how much better points are than a reference.

    The reference's own uncertainty is part of it, and what both have in common is not. An optimizer
    asks for a few points hundreds of times, so all that does not depend on them is prepared.

    Args:
        predictor: The posterior of utilities.
        reference: One encoded point, of shape ``d``.

    Attributes:
        kernel: The prior's kernel.
        X: Encoded records, then the reference, ``(N + 1) x d``.
        origin: Prior covariance of the reference with a target's record at each, of shape ``N``.
        share: Weight of each record in the average, of shape ``N``.
        variances: Prior variance of the reference, and of the records' average; of shape ``2``.
        shift: What the records explain of the reference relative to their average, of shape ``M``.
        weights: Loading times inverse covariance times utilities, of shape ``N``.
        root: Loading times a square root of what certain utilities would explain, ``N x M``.
        ordered_root: Loading times a square root of what the order explains, ``N x M``.
    """

    def __init__(self, predictor: Predictor, reference: Tensor) -> None:
        kernel, own = predictor.kernel, reference.unsqueeze(0)
        loading, columns = predictor.loading, predictor.loading.unsqueeze(-1)
        self.kernel, self.X = kernel, torch.cat([predictor.X, own])
        self.origin: Tensor = kernel(own, predictor.X).to_dense()[0]
        self.share, of_average = predictor.share, predictor.average @ predictor.share
        self.variances = torch.stack([kernel(own, diag=True)[0], of_average])
        self.shift = (self.origin * loading - predictor.average) @ predictor.root
        self.weights = loading * predictor.weights
        self.root = columns * predictor.root
        self.ordered_root = columns * predictor.ordered_root

    def moments(self, X: Tensor) -> Moments:
        """Mean and variance of how much better each point is, and what is left to learn there.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Three tensors of shape ``batch_shape``, once differentiable. The last is the part of the
            variance of a point's own utility that more evaluations would remove.
        """
        # Near the reference both moments are differences of nearly equal numbers.
        points = X.double().reshape(-1, X.shape[-1])
        with lazily_evaluate_kernels(False):  # what is evaluated at once need not wait
            cross, prior = self.kernel(points, self.X).to_dense(), self.kernel(points, diag=True)
        mean, variance, own = (
            each.reshape(X.shape[:-1]).to(X) for each in _Moments.apply(cross, prior, self)
        )
        return mean, variance, own


class _Moments(torch.autograd.Function):
    """Moments from covariances; in closed form their gradient costs two matrix products."""

    @staticmethod
    def forward(ctx: Any, cross: Tensor, prior: Tensor, differences: Differences) -> Moments:
        known, reference = cross[:, :-1], cross[:, -1]
        # Derived in docs/derivations.md: of a difference to the reference the level cancels, and
        # what is left to learn is relative to the average of the records.
        relative = known - differences.origin
        ordered = relative @ differences.ordered_root
        explained = relative @ differences.root + differences.shift
        of_reference, of_average = differences.variances
        mean = relative @ differences.weights
        variance = prior + of_reference - 2.0 * reference - ordered.square().sum(-1)
        own = prior + of_average - 2.0 * known @ differences.share - explained.square().sum(-1)
        ctx.differences = differences
        ctx.save_for_backward(ordered, explained)
        return mean, variance, own

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, by_mean: Tensor, by_variance: Tensor, by_own: Tensor
    ) -> tuple[Tensor | None, ...]:
        ordered, explained = ctx.saved_tensors
        differences: Differences = ctx.differences
        twice_variance, twice_own = -2.0 * by_variance, (-2.0 * by_own).unsqueeze(-1)
        pull = torch.outer(by_mean, differences.weights)
        pull += (twice_variance.unsqueeze(-1) * ordered) @ differences.ordered_root.mT
        pull += (twice_own * explained) @ differences.root.mT + twice_own * differences.share
        return torch.cat([pull, twice_variance.unsqueeze(-1)], dim=-1), by_variance + by_own, None
