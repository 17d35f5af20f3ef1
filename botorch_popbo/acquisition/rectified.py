"""The paper's ERI and R-LCB: a random number where the point is not promising."""

import math
from abc import ABC, abstractmethod
from typing import Any, Self

import torch
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.acquisition._known_points import proximity
from botorch_popbo.acquisition._point_noise import uniform_from_points
from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.posteriors.rank_posterior import RankPosterior
from botorch_popbo.settings import PaperSettings


class RectifiedAcquisitionFunction(RankAcquisitionFunction, ABC):
    r"""A function of the rank's law where the point is promising, a random number elsewhere.

    A point is promising while its predicted rank :math:`\lambda(x)` is below ``share * N``. Any
    other point carries a uniform number :math:`\epsilon_x`, a hash of its coordinates and of the
    instance's seed, with gradient zero, so that gradient-based multi-start leaves such starting
    points where they are (equation (7) of Wang et al., 2023). Scale matters: the number only
    competes with values near [0, 1] in rank units. Near a known point the value falls below every
    random one.

    Args:
        model: A fitted model.
        share: Share of the evaluated points that a promising point may rank behind, in (0, 1], the
            paper's :math:`q`; ``None`` rectifies nothing. By default the paper's share for a model
            without uncertainty, and ``None`` for one that explores for its own uncertainty.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the uniform numbers, mixed with the number of evaluated points.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``share`` is out of range.
    """

    #: The share that the paper sets.
    paper_share: float
    #: Of the uniform number an unpromising point takes this multiple: values are maximised.
    sign: float

    def __init__(
        self,
        model: RankModel,
        share: float | _DefaultType | None,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
    ) -> None:
        super().__init__(model, X_baseline)
        if isinstance(share, _DefaultType):
            share = None if model.has_uncertainty else self.paper_share
        if share is not None and not 0.0 < share <= 1.0:
            raise ValueError(f"share is one of the evaluated points, in (0, 1], but got {share}.")
        self.share = share
        # Another instance draws other numbers, also when the caller keeps its seed.
        self.seed = derive_seed(seed, len(model.known_X))
        self.set_X_pending(X_pending)

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        posterior = self._informed.rank_law(encoded)
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
    def _value(self, posterior: RankPosterior) -> Tensor:
        """Value of promising points, of the shape of the posterior, larger being better."""

    @abstractmethod
    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        """Lower the value near known points, below every random value at a known point.

        Args:
            value: Values, of the shape of the posterior.
            distance: Distances to the nearest known point, in known radii, of the same shape.
        """


class ExpectedRankingImprovement(RectifiedAcquisitionFunction):
    r"""Expected improvement over the worst tolerable rank, rectified.

    .. math::

        \alpha_{ERI}(x) = \sum_{k=0}^{K_m} (K_m - k) \, P(\hat R_x = k),

    equation (8) of Wang et al. (2023), in ranks between 0 and :math:`K_m`. It is maximised. On a
    ``PoissonRankModel.paper`` all defaults are the paper's.

    Args:
        model: A fitted model.
        K_m: Worst tolerable rank.
        share: See the base class; the paper's is 0.4.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``K_m`` is below 1 or ``share`` is out of range.
    """

    paper_share = PaperSettings.eri_share
    sign = 1.0

    def __init__(
        self,
        model: RankModel,
        K_m: int = PaperSettings.worst_rank,
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

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        return value * (1.0 - proximity(distance))


class RectifiedLowerConfidenceBound(RectifiedAcquisitionFunction):
    r"""Negated lower confidence bound of the rank, rectified; with ``share=None`` the plain one.

    The bound is :math:`\mu(x) - \beta \sigma(x)`, equations (6) and (7) of Wang et al. (2023), in
    ranks; it is negated because acquisition functions are maximised. :math:`\sigma` is the standard
    deviation of the model's count. The paper takes :math:`\sqrt\mu`, for which the bound
    is smallest at :math:`\mu = \beta^2 / 4`: below that it prefers *worse* predicted ranks. Yet an
    unpromising point beats every bound above its own number in [0, 1), that is nearly every
    :math:`\mu > \beta^2`: a small :math:`\beta` turns the search into a random one.

    Args:
        model: A fitted model.
        beta: Weight of the standard deviation. The paper does not give its value.
        share: See the base class; the paper's is 0.6.
        poisson_deviation: Whether :math:`\sigma` is the square root of the expected count.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``beta`` is negative or ``share`` is out of range.
    """

    paper_share = PaperSettings.rlcb_share
    sign = -1.0

    def __init__(
        self,
        model: RankModel,
        beta: float = PaperSettings.beta,
        share: float | _DefaultType | None = DEFAULT,
        poisson_deviation: bool = False,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
    ) -> None:
        super().__init__(model, share, X_pending, seed, X_baseline)
        if not beta >= 0:
            raise ValueError(f"beta weighs a deviation and is not negative, but got {beta}.")
        self.beta = beta
        self.poisson_deviation = poisson_deviation

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

    def _value(self, posterior: RankPosterior) -> Tensor:
        mean = posterior.mean
        variance = mean if self.poisson_deviation else posterior.variance
        # The root of zero has no slope.
        return self.beta * variance.clamp_min(1e-30).sqrt() - mean

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        # At a known point at most -2, below the numbers in (-1, 0] of unpromising points.
        value = value.lerp(value.clamp_max(0.0) - 2.0, proximity(distance))
        # No bound of another point is below minus the number of points.
        return value - len(self._informed.known_X) * (distance == 0.0)
