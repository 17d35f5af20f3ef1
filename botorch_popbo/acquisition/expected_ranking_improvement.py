"""Expected ranking improvement (ERI)."""

import torch
from torch import Tensor

from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior


class ExpectedRankingImprovement(RectifiedAcquisitionFunction):
    r"""Expected improvement over the worst tolerable rank, rectified.

    .. math::

        \alpha_{ERI}(x) = \sum_{k=0}^{K_m} (K_m - k) \, P(\hat R_x = k),

    equation (8) of Wang et al. (2023), in ranks between 0 and :math:`K_m`. It is maximised.

    Args:
        model: A fitted model.
        K_m: Worst tolerable rank.
        q: Share of the evaluated points that a promising point may rank behind, in (0, 1].
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.

    Raises:
        ValueError: If ``K_m`` is below 1 or ``q`` is out of range.
    """

    def __init__(
        self,
        model: PoissonRankModel,
        K_m: int = 5,
        q: float = 0.4,
        X_pending: Tensor | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(model=model, q=q, X_pending=X_pending, seed=seed)
        if K_m < 1:
            raise ValueError(f"K_m is a rank of at least 1, but got {K_m}.")
        self.K_m = K_m

    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        ranks = torch.arange(self.K_m, device=posterior.device, dtype=posterior.dtype)
        return ((self.K_m - ranks) * posterior.density(ranks)).sum(-1, keepdim=True)

    def _random(self, uniform: Tensor) -> Tensor:
        return uniform

    def _known_value(self, value: Tensor) -> Tensor:
        return torch.zeros_like(value)
