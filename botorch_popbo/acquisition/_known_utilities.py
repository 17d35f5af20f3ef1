"""Utilities of new points where those of known points are taken for what is expected of them."""

from dataclasses import dataclass
from typing import Self

import torch
from gpytorch.kernels import Kernel
from gpytorch.settings import lazily_evaluate_kernels
from torch import Tensor

from botorch_popbo.models._predict.predictor import MIN_VARIANCE
from botorch_popbo.models.ranking_gp import RankingGP

_JITTER = 1e-6  # of the covariance of known points, in variances of the prior
_TINY = 1e-300
_FURTHEST = 3.0  # deviations of the prior beyond the best point, where all violate a bound


@dataclass(frozen=True)
class KnownUtilities:
    """The posterior of a utility, conditioned on what is expected at known points.

    An order leaves open what an evaluated point's utility is, and next to it the best place to
    improve would be its own. Taken for known, nothing is to be gained there. The mean stays as it
    is, and the variance is what distance leaves. All that does not depend on new points is
    prepared.

    Attributes:
        kernel: The prior's kernel.
        X: Encoded records, then the ``n`` known points, ``(N + n) x d``.
        expected: What is expected at known points, of shape ``n``.
        weights: Of covariances with :attr:`X` in the mean, of shape ``N + n``.
        share: The same in the average of the records.
        level: Prior variance of this average, a scalar tensor.
        root: Of the same in a square root of what is explained, ``(N + n) x K``.
        shift: What is to be added to the root, of shape ``K``.
    """

    kernel: Kernel
    X: Tensor
    expected: Tensor
    weights: Tensor
    share: Tensor
    level: Tensor
    root: Tensor
    shift: Tensor

    @classmethod
    @torch.no_grad()
    def of(cls, model: RankingGP) -> Self:
        """Take the utilities of all known points of a model, pending ones included, for known."""
        predictor, known = model.predictor, model.encode(model.known_X).double()
        average, ordered = predictor.average, predictor.ordered_root
        level, cross = average @ predictor.share, predictor.cross(known)
        explained = (cross - average) @ ordered
        loading = predictor.loading.unsqueeze(-1)
        weights, share, ordered_root = (
            torch.cat([loading * each, each.new_zeros(len(known), each.shape[-1])])
            for each in (predictor.weights.unsqueeze(-1), predictor.share.unsqueeze(-1), ordered)
        )
        # Covariance of a new point with known ones, see Predictor.covariance, as a linear function
        # of the kernel's values.
        linear = -share - ordered_root @ explained.T
        linear[len(average) :] += torch.eye(len(known)).to(linear)
        constant = level - cross @ predictor.share + average @ ordered @ explained.T
        covariance = predictor.covariance(known, known)
        covariance.diagonal().add_(_JITTER)
        inverse = torch.linalg.inv(torch.linalg.cholesky(covariance)).T
        return cls(
            kernel=predictor.kernel,
            X=torch.cat([predictor.X, known]),
            expected=predictor.mean(known),
            weights=weights.squeeze(-1),
            share=share.squeeze(-1),
            level=level,
            root=torch.cat([ordered_root, linear @ inverse], dim=-1),
            shift=torch.cat([-average @ ordered, constant @ inverse]),
        )

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of each point's utility.

        Args:
            X: Encoded points, ``batch_shape x d``.

        Returns:
            Two tensors of shape ``batch_shape``, in double precision.
        """
        points = X.reshape(-1, X.shape[-1]).double()
        with lazily_evaluate_kernels(False):  # what is evaluated at once need not wait
            cross, prior = self.kernel(points, self.X).to_dense(), self.kernel(points, diag=True)
        explained = (cross @ self.root + self.shift).square().sum(-1)
        variance = prior + self.level - 2.0 * cross @ self.share - explained
        variance = variance.clamp_min(MIN_VARIANCE)
        return (cross @ self.weights).reshape(X.shape[:-1]), variance.reshape(X.shape[:-1])


def place_of(model: RankingGP, value: float) -> Tensor:
    """The utility of an outcome: between its neighbours' in the order, nearer to the closer one.

    Where all outcomes are larger it is minus infinity, as a new one will be larger, too. Where none
    is, the slope of the better half of the outcomes goes on.

    Args:
        model: A fitted model.
        value: The outcome, in the unit of the model's.

    Returns:
        A scalar tensor.
    """
    order, predictor = model.order, model.predictor
    with torch.no_grad():
        utility = predictor.mean(model.encode(order.X).double())[order.item]
    succeeded = order.score.isfinite()
    utility, score = utility[succeeded], order.score[succeeded].to(utility)
    is_above = score >= value
    if bool(is_above.all()):
        return utility.new_tensor(-torch.inf)
    below = score.where(~is_above, -torch.inf).argmax()
    if bool(is_above.any()):
        above = score.where(is_above, torch.inf).argmin()
        share = (value - score[below]) / (score[above] - score[below])
        return utility[below].lerp(utility[above], share)
    half = score.topk(len(score) // 2 + 1).indices
    gap, rise = score[below] - score[half], utility[below] - utility[half]
    slope = (gap @ rise) / gap.square().sum().clamp_min(_TINY)
    return utility.max() + ((value - score[below]) * slope).clamp(0.0, _FURTHEST)
