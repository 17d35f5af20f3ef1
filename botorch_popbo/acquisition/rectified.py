"""The paper's ERI and R-LCB: of counts, with random numbers, or of a utility that is uncertain."""

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self, cast

import torch
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo._reproducible import derive_seed
from botorch_popbo.acquisition._known_points import log_remoteness, proximity
from botorch_popbo.acquisition._log_improvement import MIN_VARIANCE, log_augmentation
from botorch_popbo.acquisition._point_noise import uniform_from_points
from botorch_popbo.acquisition._space_share import SpaceShare
from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.paper.poisson_rank_model import PoissonRankModel
from botorch_popbo.paper.posterior import PoissonRankPosterior
from botorch_popbo.settings import AcquisitionSettings, PaperSettings


class RectifiedAcquisitionFunction(RankAcquisitionFunction, ABC):
    r"""A function of a point's rank.

    For a network the rank is a count of evaluated points, and the function is *rectified*. A point
    is promising while its predicted rank :math:`\lambda(x)` is below ``share * N``. Any other point
    carries a uniform number :math:`\epsilon_x`, a hash of its coordinates and of the instance's
    seed, with gradient zero, so that gradient-based multi-start leaves such starting points where
    they are (equation (7) of Wang et al., 2023). Scale matters: the number only competes with
    values near [0, 1] in rank units. Near a known point the value falls below every random one.

    A :class:`~botorch_popbo.RankingGP` explores for its own uncertainty, and nothing is rectified.
    There the rank is one among all points of the space, the share :math:`S(z)` of them whose
    utility is higher than :math:`z`. Unlike a count of evaluated points it leaves something to gain
    next to the best of them. Gains are differences of its logarithm. There all values are
    logarithms, as ``_log`` tells BoTorch and Ax.

    Args:
        model: A fitted model.
        share: For a network the share of the evaluated points that a promising point may rank
            behind, in (0, 1], the paper's :math:`q`. ``None`` rectifies nothing.
        seed: For a network the seed of the uniform numbers, mixed with the number of evaluated
            points.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``share`` is out of range.
    """

    #: Of the uniform number an unpromising point takes this multiple: values are maximised.
    sign: float
    #: The place among the evaluated points that a utility is compared with: the incumbent's.
    K_m = 1

    def __init__(
        self, model: RankModel, share: float | None, seed: int, X_baseline: Tensor | None
    ) -> None:
        super().__init__(model, X_baseline)
        if share is not None and not 0.0 < share <= 1.0:
            raise ValueError(f"share is one of the evaluated points, in (0, 1], but got {share}.")
        self.share = share
        self._log = model.has_uncertainty
        # Another instance draws other numbers, also when the caller keeps its seed.
        self.seed = derive_seed(seed, len(model.known_X))

    def _prepare(self) -> None:
        super()._prepare()
        if isinstance(self._informed, RankingGP):
            self._share_above = SpaceShare.by(self._informed)
            # As the incumbent is chosen; of fewer points the last.
            value = self._informed.predictor.pessimistic(self._known.double())
            place = self._known[value.topk(min(self.K_m, len(value))).indices[-1]]
            self._differences = self._informed.differences_from(place)
            self._utility = self._informed.predictor.mean(place.double().unsqueeze(0)).detach()

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        if isinstance(self._informed, RankingGP):
            moments = self._differences.moments(encoded)
            utility = self._utility.to(encoded)
            return self._of_utility(utility, *moments) + log_remoteness(distance)
        posterior = cast(PoissonRankPosterior, self._informed.rank_law(encoded))
        distance = distance.unsqueeze(-1)
        value = self._near_known(self._value(posterior), distance)
        if self.share is not None:
            rectified = posterior.log_rate >= posterior.exposure.log() + math.log(self.share)
            if bool(rectified.any()):
                random = self.sign * uniform_from_points(X, self.seed).unsqueeze(-1)
                random = self._near_known(random, distance).detach()
                value = torch.where(rectified, random, value)
        return value.squeeze(-1)

    @abstractmethod
    def _of_utility(self, utility: Tensor, mean: Tensor, variance: Tensor, own: Tensor) -> Tensor:
        """Value by a model with uncertainty, larger being better.

        Args:
            utility: Expected utility of the point in place ``K_m``, of shape ``1``.
            mean: How much better points are expected to be, ``batch_shape x 1``.
            variance: The variance of that, like the next of the same shape.
            own: The part of their own variance that more evaluations would remove.

        Returns:
            A ``batch_shape x 1`` tensor.
        """

    @abstractmethod
    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        """Value of a network's promising points, of the shape of the posterior."""

    @abstractmethod
    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        """Lower the value near known points, below every random value at a known point.

        Args:
            value: Values, of the shape of the posterior.
            distance: Distances to the nearest known point, in known radii, of the same shape.
        """


class ExpectedRankingImprovement(RectifiedAcquisitionFunction):
    r"""Expected improvement over the worst tolerable rank.

    .. math::

        \alpha_{ERI}(x) = \sum_{k=0}^{K_m} (K_m - k) \, P(\hat R_x = k),

    equation (8) of Wang et al. (2023), in ranks between 0 and :math:`K_m`. It is maximised. On a
    ``PoissonRankModel.paper`` all defaults are the paper's.

    On a :class:`~botorch_popbo.RankingGP` it is the logarithm of the expected improvement over the
    :math:`K_m`-th best evaluated point :math:`x^*`, in logarithms of a rank among all points,

    .. math::

        \alpha_{ERI}(x) = \log E[\max(\log S(z(x^*)) - \log S(z(x)), 0)],

    to second order in the gain of utility. Like
    :class:`~botorch_popbo.LogExpectedUtilityImprovement` it counts a share of the deviation, and is
    augmented where outcomes are noisy; it prefers points that may be better by far.

    Args:
        model: A fitted model.
        K_m: Worst tolerable rank, by default that of the network's settings, 5 as in the paper; for
            a ``RankingGP`` the place that a gain is counted from, by default 1, the incumbent's.
        share: See the base class; by default that of the network's settings, 0.4 as in the paper.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.
        X_baseline: The evaluated points that could be suggested; see the base class.
        exploration: For a ``RankingGP`` the share of the deviation that counts, by default a half;
            in many columns it is larger.
        settings: For a ``RankingGP`` the defaults of both, and what many columns are.

    Raises:
        ValueError: If ``K_m`` is below 1 or ``share`` is out of range.
    """

    sign = 1.0

    def __init__(
        self,
        model: RankModel,
        K_m: int | None = None,
        share: float | _DefaultType | None = DEFAULT,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
        exploration: float | None = None,
        settings: AcquisitionSettings = AcquisitionSettings(),  # noqa: B008  # frozen
    ) -> None:
        paper = _paper_settings(model)
        share = paper.eri_share if isinstance(share, _DefaultType) else share
        super().__init__(model, share, seed, X_baseline)
        default = settings if model.has_uncertainty else paper
        self.K_m = default.worst_rank if K_m is None else K_m
        if self.K_m < 1:
            raise ValueError(f"K_m is a rank of at least 1, but got {K_m}.")
        if exploration is not None:
            settings = replace(settings, exploration=exploration)
        self.exploration = settings.exploration_in(model.num_active)
        self.set_X_pending(X_pending)

    def _of_utility(self, utility: Tensor, mean: Tensor, variance: Tensor, own: Tensor) -> Tensor:
        value = self._share_above.log_improvement(utility, mean, self.exploration**2 * variance)
        return value + log_augmentation(own, cast(RankingGP, self.model).noise.detach())

    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        return posterior.log_improvement(self.K_m).exp()

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        return value * (1.0 - proximity(distance))


class RectifiedLowerConfidenceBound(RectifiedAcquisitionFunction):
    r"""Negated lower confidence bound of the rank; with ``share=None`` the plain one.

    On a network the bound is :math:`\mu(x) - \beta \sigma(x)`, equations (6) and (7) of Wang et al.
    (2023), in ranks; it is negated because acquisition functions are maximised. :math:`\sigma` is
    the standard deviation of the model's count. The paper takes :math:`\sqrt\mu`, for which the
    bound is smallest at :math:`\mu = \beta^2 / 4`: below that it prefers *worse* predicted ranks.
    Yet an unpromising point beats every bound above its own number in [0, 1), that is nearly every
    :math:`\mu > \beta^2`: a small :math:`\beta` turns the search into a random one.

    On a :class:`~botorch_popbo.RankingGP` it is that of the logarithm of a rank among all points.
    The rank falls as the utility rises, so a lower quantile of it is that of an upper quantile of
    the utility. With the incumbent's expected utility :math:`z^*` and the mean :math:`m` and
    deviation :math:`s` of the difference to it, the bound is
    :math:`\log S(z^* + m + \beta s)`, and ``exp(-value)`` the share of the space that is better
    then. An order leaves open how far its best point is ahead, and what the incumbent and a point
    beside it have in common is no reason to look there.

    Args:
        model: A fitted model.
        beta: Weight of the standard deviation, by default that of the network's settings. The paper
            does not give its value; here it is 3, for a ``RankingGP`` 1.
        share: See the base class; by default that of the network's settings, 0.6 as in the paper.
        poisson_deviation: For a network whether :math:`\sigma` is the square root of the expected
            count.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.
        X_baseline: The evaluated points that could be suggested; see the base class.
        settings: For a ``RankingGP`` the default of ``beta``.

    Raises:
        ValueError: If ``beta`` is negative or ``share`` is out of range.
    """

    sign = -1.0

    def __init__(
        self,
        model: RankModel,
        beta: float | None = None,
        share: float | _DefaultType | None = DEFAULT,
        poisson_deviation: bool = False,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
        settings: AcquisitionSettings = AcquisitionSettings(),  # noqa: B008  # frozen
    ) -> None:
        paper = _paper_settings(model)
        share = paper.rlcb_share if isinstance(share, _DefaultType) else share
        super().__init__(model, share, seed, X_baseline)
        default = settings if model.has_uncertainty else paper
        self.beta = default.beta if beta is None else beta
        if not self.beta >= 0:
            raise ValueError(f"beta weighs a deviation and is not negative, but got {beta}.")
        self.poisson_deviation = poisson_deviation
        self.set_X_pending(X_pending)

    @classmethod
    def paper(cls, model: RankModel, **kwargs: Any) -> Self:
        """The function with all settings of Wang et al. (2023).

        Args:
            model: A fitted ``PoissonRankModel.paper``.
            **kwargs: See the constructor, without ``poisson_deviation``, which is true.

        Returns:
            The acquisition function.
        """
        return cls(model, poisson_deviation=True, **kwargs)

    def _of_utility(self, utility: Tensor, mean: Tensor, variance: Tensor, own: Tensor) -> Tensor:
        upper = utility + mean + self.beta * variance.clamp_min(MIN_VARIANCE).sqrt()
        return -self._share_above.log(upper)

    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        mean = posterior.mean
        variance = mean if self.poisson_deviation else posterior.variance
        # The root of zero has no slope.
        return self.beta * variance.clamp_min(1e-30).sqrt() - mean

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        # At a known point at most -2, below the numbers in (-1, 0] of unpromising points.
        value = value.lerp(value.clamp_max(0.0) - 2.0, proximity(distance))
        # No bound of another point is below minus the number of points.
        return value - len(self._informed.known_X) * (distance == 0.0)


def _paper_settings(model: RankModel) -> PaperSettings:
    """A network's own, and for any other model the paper's."""
    return model.settings if isinstance(model, PoissonRankModel) else PaperSettings()
