"""The law of a rank at certain hyperparameters, of points inside an optimizer's loop."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from gpytorch.kernels import Kernel
from torch import Tensor

from botorch_popbo.models._fit.evidence import Conditioned
from botorch_popbo.models._law.buckets import Buckets
from botorch_popbo.models._law.predictor import Predictor

_MIN_VARIANCE = 1e-12
# Of the step between two thresholds that one common deviation would give, what is always left.
_LEAST_STEP = 0.1


@dataclass(frozen=True)
class RankLaw:
    r"""By how many standard deviations a point is expected to fall short of evaluated ones.

    The difference of a new utility :math:`z` and that of a record :math:`t_k`, noise included, is
    normal. What the two have in common is not part of its variance, and the uncertainty of
    :math:`t_k` that the order leaves open is. With the prior covariance :math:`k` of the new point
    and that of the records :math:`K`,

    .. math::

        \mathrm{Var}(z - t_k) = k(x, x) - 2 k_k + K_{kk}
        - \lVert R^\top (k - K_{\cdot k}) \rVert^2,

    where :math:`R R^\top` is what the order explains.

    Attributes:
        kernel: The prior's kernel.
        X: Encoded records, ``N x d``.
        weights: Loading times inverse covariance times utilities, of shape ``N``.
        root: Loading times the root :math:`R`, ``N x M``.
        noise: Variance of the noise of an outcome, a scalar tensor.
        utility: Utilities of the known buckets' records, of shape ``J``.
        explained: What the order explains of them, ``J x M``.
        variance: Their variances with the arbitrary level that the prior gives, of shape ``J``.
        buckets: All evaluated points.
    """

    kernel: Kernel
    X: Tensor
    weights: Tensor
    root: Tensor
    noise: Tensor
    utility: Tensor
    explained: Tensor
    variance: Tensor
    buckets: Buckets

    @classmethod
    def from_fit(cls, conditioned: Conditioned, predictor: Predictor, buckets: Buckets) -> Self:
        """Prepare predictions.

        Args:
            conditioned: Records, conditioned on their order.
            predictor: Utilities of new points given these.
            buckets: All evaluated points, known by these.

        Returns:
            The law.
        """
        covariance = conditioned.covariance.matrix[buckets.record]
        explained = covariance @ predictor.ordered_root
        own = covariance.gather(-1, buckets.record.unsqueeze(-1)).squeeze(-1)
        return cls(
            kernel=predictor.kernel,
            X=predictor.X,
            weights=predictor.loading * predictor.weights,
            root=predictor.loading.unsqueeze(-1) * predictor.ordered_root,
            noise=conditioned.noise,
            utility=conditioned.utilities.utilities[buckets.record],
            explained=explained,
            variance=own - explained.square().sum(-1),
            buckets=buckets,
        )

    def thresholds(self, X: Tensor, observation_noise: bool) -> Tensor:
        """Standard normal scores from which on points are at least as good as each known bucket.

        Args:
            X: Encoded points, ``batch_shape x d``.
            observation_noise: Whether an outcome is meant, which has noise of its own.

        Returns:
            A falling ``batch_shape x J`` tensor.
        """
        points = X.reshape(-1, X.shape[-1])
        cross = self.kernel(points, self.X).to_dense()
        explained = cross @ self.root
        own = self.kernel(points, diag=True) - explained.square().sum(-1)
        if observation_noise:
            own = own + self.noise
        shared = cross[:, self.buckets.record] - explained @ self.explained.T
        variance = own.unsqueeze(-1) + self.variance - 2.0 * shared
        deviation = variance.clamp_min(_MIN_VARIANCE).sqrt()
        short = self.utility - (cross @ self.weights).unsqueeze(-1)
        scores = _falling(short / deviation, short / deviation.mean(-1, keepdim=True))
        return scores.reshape(*X.shape[:-1], len(self.utility))


def averaged(thresholds: Sequence[Tensor]) -> Tensor:
    """Scores of the average of several laws of the same points.

    Args:
        thresholds: Scores, all of one shape.

    Returns:
        Scores of that shape whose probabilities are the averages.
    """
    if len(thresholds) == 1:
        return thresholds[0]
    scores = torch.stack(list(thresholds))
    # The smaller of the two tails keeps its digits, as a logarithm.
    least = math.log(torch.finfo(scores.dtype).tiny)
    below, above = (
        (torch.special.log_ndtr(side).logsumexp(0) - math.log(len(scores))).clamp_min(least).exp()
        for side in (scores, -scores)
    )
    is_low = below < 0.5
    score: Tensor = torch.special.ndtri(torch.where(is_low, below, above))
    return torch.where(is_low, score, -score)


def _falling(score: Tensor, reference: Tensor) -> Tensor:
    """Scores that fall, as those of a law do; those of differences taken one by one need not.

    Where they rise away from the centre, they stay as they are at the point nearer to it, but for a
    small share of the reference, which falls.
    """
    rest = score - _LEAST_STEP * reference
    worse = rest.clamp_max(0.0).cummin(-1).values
    better = rest.clamp_min(0.0).flip(-1).cummax(-1).values.flip(-1)
    return worse + better + _LEAST_STEP * reference
