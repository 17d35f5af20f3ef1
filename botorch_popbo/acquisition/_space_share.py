"""How many points of the space are better: ranks that no number of evaluations ends."""

import math
from dataclasses import dataclass
from typing import Self

import torch
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo.acquisition._log_improvement import improvement_ratio, log_improvement
from botorch_popbo.likelihoods.normal import hazard
from botorch_popbo.models.ranking_gp import RankingGP

#: Points of the space that stand for all; of other ones the share differs by a few per cent.
_NUM_POINTS = 256


@dataclass(frozen=True)
class SpaceShare:
    r"""The share of the space whose utility is higher than some value, the tail of a normal law.

    With the mean :math:`\mu` and the deviation :math:`\tau` of utilities over the space it is
    :math:`S(z) = \Phi((\mu - z) / \tau)`. See "Ranks in the space" in docs/derivations.md.

    Attributes:
        mean: The mean, in deviations of the prior.
        deviation: The deviation, in the same unit.
    """

    mean: float
    deviation: float

    @classmethod
    def by(cls, model: RankingGP) -> Self:
        """What a model says of the box of the evaluated points.

        Args:
            model: A fitted model.

        Returns:
            The share.
        """
        box = torch.stack([model.known_X.amin(0), model.known_X.amax(0)])
        X = draw_sobol_samples(box, _NUM_POINTS, 1, seed=0).squeeze(-2)
        with torch.no_grad():
            mean, variance = model.predictor.moments(model.encode(X).double())
        return cls(float(mean.mean()), math.sqrt(float(mean.var() + variance.mean())))

    def log(self, utility: Tensor) -> Tensor:
        """Logarithm of the share that is better than utilities."""
        return torch.special.log_ndtr((self.mean - utility) / self.deviation)

    def log_improvement(self, utility: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
        r"""Logarithm of :math:`E[\max(\log S(z^*) - \log S(z), 0)]`, to second order.

        Args:
            utility: What is to be improved on, :math:`z^*`, broadcastable with the others.
            mean: Means of the differences :math:`z - z^*`.
            variance: Their variances, of the same shape.

        Returns:
            A tensor of this shape, once differentiable.
        """
        score = (utility - self.mean) / self.deviation
        rate = hazard(-score)
        curvature = 0.5 * (rate - score) / self.deviation
        ratio = improvement_ratio(mean, variance)
        slope = (rate / self.deviation).log()
        return log_improvement(mean, variance) + slope + torch.log1p(curvature * ratio)
