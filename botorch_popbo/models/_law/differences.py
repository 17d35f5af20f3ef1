"""How much better new points are than a reference, fast enough for an optimizer's inner loop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import torch
from torch import Tensor

from botorch_popbo._once_differentiable import once_differentiable
from botorch_popbo.models._law.predictor import Predictor
from botorch_popbo.models._matern import Profile
from botorch_popbo.models.kernels import profile_of, scaling

Moments = tuple[Tensor, Tensor, Tensor]
Pullback = Callable[[Tensor, Tensor, Tensor], Tensor]


class Differences(Protocol):
    """The conditional law of how much better points are than a reference.

    The reference's own uncertainty is part of it, and what both have in common is not.
    """

    def moments(self, X: Tensor) -> Moments:
        """Mean and variance of how much better each point is, and what is left to learn there.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Three tensors of shape ``batch_shape``, differentiable in ``X``. The last is the part of
            the variance of a point's own utility that more evaluations would remove.
        """
        ...

    def moments_and_pullback(self, X: Tensor) -> tuple[Moments, Pullback]:
        """The same, and their derivative without autograd's graph.

        Args:
            X: Encoded points, ``n x d``.

        Returns:
            The moments, and what makes slopes with respect to ``X``, ``n x d``, of those with
            respect to each of the moments.
        """
        ...


def make_differences(predictor: Predictor, reference: Tensor) -> Differences:
    """Choose the closed form where there is one.

    Args:
        predictor: The conditional law.
        reference: One encoded point, of shape ``d``.

    Returns:
        The differences' law.
    """
    if profile_of(predictor.kernel) is None:
        return KernelDifferences(predictor, reference)
    return MaternDifferences.from_predictor(predictor, reference)


class KernelDifferences:
    """For any kernel, by autograd.

    Args:
        predictor: The conditional law.
        reference: One encoded point, of shape ``d``.
    """

    def __init__(self, predictor: Predictor, reference: Tensor) -> None:
        self.predictor = predictor
        self.reference = reference.unsqueeze(0)
        self.mean, self.variance = predictor.moments(self.reference)

    def moments(self, X: Tensor) -> Moments:
        """See the protocol."""
        points = X.reshape(-1, X.shape[-1])
        mean, variance = self.predictor.moments(points)
        shared = self.predictor.covariance(points, self.reference).squeeze(-1)
        own = self.predictor.unexplained(points)
        values = (mean - self.mean, variance + self.variance - 2.0 * shared, own)
        mean, variance, own = (value.reshape(X.shape[:-1]) for value in values)
        return mean, variance, own

    def moments_and_pullback(self, X: Tensor) -> tuple[Moments, Pullback]:
        """See the protocol."""
        with torch.enable_grad():
            points = X.detach().requires_grad_()
            moments = self.moments(points)

        def pullback(*slopes: Tensor) -> Tensor:
            [gradient] = torch.autograd.grad(moments, points, slopes)
            return gradient

        mean, variance, own = (values.detach() for values in moments)
        return (mean, variance, own), pullback


@dataclass(frozen=True)
class MaternDifferences:
    """For the Matérn-5/2 kernel, in closed form.

    An optimizer asks for a few points hundreds of times. So all that does not depend on them is
    prepared, and so is the gradient: autograd through GPyTorch's kernel would take three times as
    long. Tests hold it against that kernel.

    Attributes:
        profile: The prior's covariance.
        scaling: The map of points to the kernel's directions and lengthscales, ``d x d``.
        X: Encoded records, then the reference, scaled, ``(N + 1) x d``.
        origin: Prior covariance of the reference with a target's record at each, of shape ``N``.
        share: Weight of each record in the average, of shape ``N``.
        around_average: Prior variance of a point plus that of the records' average, a scalar.
        shift: What the records explain of the reference relative to their average, of shape ``M``.
        weights: Loading times inverse covariance times utilities, of shape ``N``.
        root: Loading times a square root of what certain utilities would explain, ``N x M``.
        ordered_root: Loading times a square root of what the order explains, ``N x M``.
    """

    profile: Profile
    scaling: Tensor
    X: Tensor
    origin: Tensor
    share: Tensor
    around_average: Tensor
    shift: Tensor
    weights: Tensor
    root: Tensor
    ordered_root: Tensor

    @classmethod
    def from_predictor(cls, predictor: Predictor, reference: Tensor) -> Self:
        """Prepare predictions.

        Args:
            predictor: The conditional law.
            reference: One encoded point, of shape ``d``.

        Returns:
            The differences' law.
        """
        profile = profile_of(predictor.kernel)
        assert profile is not None
        to_scale = scaling(predictor.kernel, len(reference))
        X = torch.cat([predictor.X, reference.unsqueeze(0)]) @ to_scale
        origin, _ = profile.value_and_slope(torch.cdist(X[-1:], X[:-1]).squeeze(0))
        loading, columns = predictor.loading, predictor.loading.unsqueeze(-1)
        return cls(
            profile=profile,
            scaling=to_scale,
            X=X,
            origin=origin,
            share=predictor.share,
            around_average=1.0 + predictor.average @ predictor.share,
            shift=(origin * loading - predictor.average) @ predictor.root,
            weights=loading * predictor.weights,
            root=columns * predictor.root,
            ordered_root=columns * predictor.ordered_root,
        )

    def moments(self, X: Tensor) -> Moments:
        """See the protocol; once differentiable."""
        points = X.reshape(-1, X.shape[-1]) @ self.scaling
        moments = _Moments.apply(points, self)
        mean, variance, own = (values.reshape(X.shape[:-1]) for values in moments)
        return mean, variance, own

    def moments_and_pullback(self, X: Tensor) -> tuple[Moments, Pullback]:
        """See the protocol."""
        points = X @ self.scaling
        moments, parts = self._forward(points)

        def pullback(*slopes: Tensor) -> Tensor:
            return self._backward(points, *parts, *slopes) @ self.scaling.T

        return moments, pullback

    def _forward(self, points: Tensor) -> tuple[Moments, tuple[Tensor, Tensor, Tensor]]:
        """Moments of ``n`` scaled points, and what their derivative needs."""
        distance = torch.cdist(points, self.X)
        cross, slope = self.profile.value_and_slope(distance)
        known, reference = cross[:, :-1], cross[:, -1]
        relative = known - self.origin
        ordered = relative @ self.ordered_root
        explained = relative @ self.root + self.shift
        variance = 2.0 - 2.0 * reference - ordered.square().sum(-1)
        own = self.around_average - 2.0 * known @ self.share - explained.square().sum(-1)
        return (relative @ self.weights, variance, own), (slope, ordered, explained)

    def _backward(
        self,
        points: Tensor,
        slope: Tensor,
        ordered: Tensor,
        explained: Tensor,
        by_mean: Tensor,
        by_variance: Tensor,
        by_own: Tensor,
    ) -> Tensor:
        """Slopes with respect to scaled points of those with respect to their moments."""
        twice, twice_own = 2.0 * by_variance.unsqueeze(-1), 2.0 * by_own.unsqueeze(-1)
        by_records = -(twice * ordered) @ self.ordered_root.T
        by_records -= (twice_own * explained) @ self.root.T
        by_records += by_mean.unsqueeze(-1) * self.weights - twice_own * self.share
        pull = 2.0 * torch.cat([by_records, -twice], dim=-1) * slope
        return pull @ self.X - pull.sum(-1, keepdim=True) * points


class _Moments(torch.autograd.Function):
    """Moments of the differences of ``n`` scaled points."""

    @staticmethod
    def forward(ctx: Any, points: Tensor, law: MaternDifferences) -> Moments:
        moments, parts = law._forward(points)
        ctx.law = law
        ctx.save_for_backward(points, *parts)
        return moments

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        law: MaternDifferences = ctx.law
        return law._backward(*ctx.saved_tensors, *slopes), None
