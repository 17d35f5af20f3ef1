"""Expected ranking improvement (ERI)."""

import torch
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo.acquisition._known_points import log_remoteness, proximity
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.models.base import RankModel
from botorch_popbo.posteriors.base import RankPosterior


class ExpectedRankingImprovement(RectifiedAcquisitionFunction):
    r"""Expected improvement over the worst tolerable rank, rectified.

    .. math::

        \alpha_{ERI}(x) = \sum_{k=0}^{K_m} (K_m - k) \, P(\hat R_x = k),

    equation (8) of Wang et al. (2023), in ranks between 0 and :math:`K_m`. It is maximised. On a
    ``PoissonRankModel.paper`` all defaults are the paper's.

    Args:
        model: A fitted model.
        K_m: Worst tolerable rank.
        share: Share of the evaluated points that a promising point may rank behind, in (0, 1], the
            paper's :math:`q`; ``None`` rectifies nothing. By default the paper's 0.4 for a model
            without uncertainty, ``None`` for others.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``K_m`` is below 1 or ``share`` is out of range.
    """

    paper_share = 0.4

    def __init__(
        self,
        model: RankModel,
        K_m: int = 5,
        share: float | _DefaultType | None = DEFAULT,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
    ) -> None:
        super().__init__(model, share, X_pending, seed, X_baseline)
        if K_m < 1:
            raise ValueError(f"K_m is a rank of at least 1, but got {K_m}.")
        self.K_m = K_m

    def _value(self, posterior: RankPosterior) -> Tensor:
        return posterior.log_improvement(self.K_m).exp()

    def _random(self, uniform: Tensor) -> Tensor:
        return uniform

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        return value * (1.0 - proximity(distance))


class LogExpectedRankingImprovement(ExpectedRankingImprovement):
    r"""Logarithm of :class:`ExpectedRankingImprovement`, with the same maximisers.

    It neither underflows nor loses its gradient where the improvement is too small for a floating
    point number.
    """

    _log = True

    def _value(self, posterior: RankPosterior) -> Tensor:
        return posterior.log_improvement(self.K_m)

    def _random(self, uniform: Tensor) -> Tensor:
        return uniform.clamp_min(torch.finfo(uniform.dtype).tiny).log()

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        return value + log_remoteness(distance)
