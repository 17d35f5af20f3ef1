"""Ranks among all points of the space, which no number of evaluations ends, and what they gain."""

import math
from dataclasses import dataclass
from typing import Self

import torch
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo.acquisition._log_improvement import (
    deviation_of,
    log_augmentation,
    log_improvement,
)
from botorch_popbo.acquisition.rank_acquisition import UtilityFunction, log_remoteness
from botorch_popbo.likelihoods.normal import hazard
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.settings import AcquisitionSettings


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
        # For all points of the box stand so many; of others the share differs by a few per cent.
        X = draw_sobol_samples(box, 256, 1, seed=0).squeeze(-2)
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


class SpaceRankFunction(UtilityFunction):
    r"""A function of a point's rank among all points of the space.

    The rank is the share :math:`S(z)` of the space whose utility is higher than :math:`z`. Unlike a
    count of evaluated points it leaves something to gain next to the best of them. Gains are
    differences of its logarithm, and all values are logarithms.
    """

    #: The place among the evaluated points that a utility is compared with: the incumbent's.
    K_m = 1

    def _prepare(self) -> None:
        super()._prepare()
        self._share = SpaceShare.by(self._informed)
        # As the incumbent is chosen; of fewer points the last.
        value = self._informed.predictor.pessimistic(self._known.double())
        place = self._known[value.topk(min(self.K_m, len(value))).indices[-1]]
        self._differences = self._informed.differences_from(place)
        self._utility = self._informed.predictor.mean(place.double().unsqueeze(0)).detach()


class LogExpectedRankImprovement(SpaceRankFunction):
    r"""Logarithm of the expected improvement of the logarithm of a rank among all points.

    .. math::

        \alpha(x) = \log E[\max(\log S(z(x^*)) - \log S(z(x)), 0)],

    over the :math:`K_m`-th best evaluated point :math:`x^*`, to second order in the gain of
    utility. Like :class:`~botorch_popbo.LogExpectedUtilityImprovement` it counts a share of the
    deviation; it prefers points that may be better by far. An
    :class:`~botorch_popbo.ExpectedRankingImprovement` of a ``RankingGP`` is this function.

    Args:
        model: A fitted model.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        X_baseline: The evaluated points that could be suggested; see the base class.
        settings: ``exploration``, and what many columns are.
        K_m: The place that a gain is counted from.

    Raises:
        ValueError: If ``K_m`` is below 1.
        UnsupportedError: If the model has no uncertainty.
    """

    def __init__(
        self,
        model: RankingGP,
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
        settings: AcquisitionSettings = AcquisitionSettings(),  # noqa: B008  # frozen
        K_m: int = 1,
    ) -> None:
        super().__init__(model, X_baseline)
        self.K_m = check_place(K_m)
        self._exploration = settings.exploration_in(model.num_active)
        self.set_X_pending(X_pending)

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        mean, variance, removable = self._differences.moments(encoded)
        spread, utility = self._exploration**2 * variance, self._utility.to(encoded)
        value = self._share.log_improvement(utility, mean, spread)
        value = value + log_augmentation(removable, self.model.noise.detach())
        return value + log_remoteness(distance)


class LogRankConfidenceBound(SpaceRankFunction):
    r"""Negated lower confidence bound of the logarithm of a rank among all points.

    The rank falls as the utility rises, so a lower quantile of it is that of an upper quantile of
    the utility. With the incumbent's expected utility :math:`z^*` and the mean :math:`m` and
    deviation :math:`s` of the difference to it, the bound is :math:`\log S(z^* + m + \beta s)`, and
    ``exp(-value)`` the share of the space that is better then. An order leaves open how far its
    best point is ahead, and what the incumbent and a point beside it have in common is no reason to
    look there. A :class:`~botorch_popbo.RectifiedLowerConfidenceBound` of a ``RankingGP`` is this
    function.

    Args:
        model: A fitted model.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        X_baseline: The evaluated points that could be suggested; see the base class.
        beta: Weight of the deviation. One is twice the share that an improvement counts.

    Raises:
        ValueError: If ``beta`` is negative.
        UnsupportedError: If the model has no uncertainty.
    """

    def __init__(
        self,
        model: RankingGP,
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
        beta: float = 1.0,
    ) -> None:
        super().__init__(model, X_baseline)
        self.beta = check_weight(beta)
        self.set_X_pending(X_pending)

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        mean, variance, _ = self._differences.moments(encoded)
        deviation = deviation_of(variance)
        upper = self._utility.to(encoded) + mean + self.beta * deviation
        return -self._share.log(upper) + log_remoteness(distance)


def improvement_ratio(mean: Tensor, variance: Tensor) -> Tensor:
    r"""The ratio of :math:`E[\max(z, 0)^2]` to :math:`E[\max(z, 0)]` for normal :math:`z`.

    Args:
        mean: Means.
        variance: Variances, of the same shape, with rounding as in ``deviation_of``.

    Returns:
        A tensor of the same shape, once differentiable.
    """
    deviation = deviation_of(variance)
    score = mean / deviation
    # Far away the ratio is the difference of two numbers of the size of the score.
    is_far = score < -30.0
    near = score.masked_fill(is_far, 0.0)
    log_value = log_improvement(near, torch.ones_like(near))
    ratio = near + torch.exp(torch.special.log_ndtr(near) - log_value)
    return deviation * torch.where(is_far, -2.0 / score.clamp_max(-30.0), ratio)


def check_place(K_m: int) -> int:
    """The place itself.

    Raises:
        ValueError: If it is below 1.
    """
    if K_m < 1:
        raise ValueError(f"K_m must be at least 1, but got {K_m}.")
    return K_m


def check_weight(beta: float) -> float:
    """The weight of a deviation itself.

    Raises:
        ValueError: If it is negative.
    """
    if not beta >= 0:
        raise ValueError(f"beta must not be negative, but got {beta}.")
    return beta
