"""The paper's ERI and R-LCB: of rank counts, and rectified by random numbers."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self, cast

import torch
from torch import Tensor

from botorch_popbo._reproducible import derive_seed
from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction, proximity
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.paper._point_noise import uniform_from_points
from botorch_popbo.paper.posterior import PoissonRankPosterior
from botorch_popbo.paper.space_rank import (
    LogExpectedRankImprovement,
    LogRankConfidenceBound,
    SpaceRankFunction,
    check_place,
    check_weight,
)


class RectifiedAcquisitionFunction(RankAcquisitionFunction, ABC):
    r"""A function of a network's rank count that is *rectified*.

    A point is promising while its predicted rank :math:`\lambda(x)` is below ``share * N``. Any
    other point carries a uniform number :math:`\epsilon_x`, a hash of its coordinates and of the
    instance's seed, with gradient zero, so that gradient-based multi-start leaves such starting
    points where they are (equation (7) of Wang et al., 2023). Scale matters: the number only
    competes with values near [0, 1] in rank units. Near a known point the value falls below every
    random one.

    A :class:`~botorch_popbo.RankingGP` explores for its own uncertainty, so that nothing needs to
    be rectified. For one, a class makes the function of the same idea that counts all points of the
    space instead, which takes no ``share`` or ``seed``.

    Args:
        model: A fitted model.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        X_baseline: The evaluated points that could be suggested; see the base class.
        share: The share of the evaluated points that a promising point may rank behind, in (0, 1],
            the paper's :math:`q`. ``None`` rectifies nothing.
        seed: Seed of the uniform numbers, mixed with the number of evaluated points.

    Raises:
        ValueError: If ``share`` is out of range.
    """

    #: Of the uniform number an unpromising point takes this multiple: values are maximized.
    sign: float
    #: The function for a model with uncertainty.
    of_space: ClassVar[Callable[..., SpaceRankFunction]]

    def __new__(cls, model: RankModel | None = None, *points: object, **options: object) -> Self:
        """Make the function that suits the model."""
        if not isinstance(model, RankingGP):  # nor if a copy is made, whose model comes later
            return super().__new__(cls)
        for name in ("share", "seed", "poisson_deviation"):
            options.pop(name, None)
        return cast(Self, cls.of_space(model, *points, **options))

    def __init__(
        self,
        model: RankModel,
        X_pending: Tensor | None,
        X_baseline: Tensor | None,
        share: float | None,
        seed: int,
    ) -> None:
        super().__init__(model, X_baseline)
        if share is not None and not 0.0 < share <= 1.0:
            raise ValueError(f"share must be in (0, 1], but got {share}.")
        self.share = share
        # Another instance draws other numbers, also when the caller keeps its seed.
        self.seed = derive_seed(seed, len(model.known_X))
        self.set_X_pending(X_pending)

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
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
    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        """Value of promising points, of the shape of the posterior."""

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

    equation (8) of Wang et al. (2023), in ranks between 0 and :math:`K_m`. It is maximized. On a
    ``PoissonRankModel.paper`` all defaults are the paper's; on a ``RankingGP`` it is a
    :class:`~botorch_popbo.LogExpectedRankImprovement`.

    Args:
        model: A fitted model.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        X_baseline: The evaluated points that could be suggested; see the base class.
        K_m: Worst tolerable rank.
        share: See the base class.
        seed: Seed of the random numbers of unpromising points.

    Raises:
        ValueError: If ``K_m`` is below 1 or ``share`` is out of range.
    """

    sign = 1.0
    of_space = LogExpectedRankImprovement

    def __init__(
        self,
        model: RankModel,
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
        K_m: int = 5,
        share: float | None = 0.4,
        seed: int = 0,
    ) -> None:
        super().__init__(model, X_pending, X_baseline, share, seed)
        self.K_m = check_place(K_m)

    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        return posterior.log_improvement(self.K_m).exp()

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        return value * (1.0 - proximity(distance))


class RectifiedLowerConfidenceBound(RectifiedAcquisitionFunction):
    r"""Negated lower confidence bound of the rank; with ``share=None`` the plain one.

    The bound is :math:`\mu(x) - \beta \sigma(x)`, equations (6) and (7) of Wang et al. (2023), in
    ranks; it is negated because acquisition functions are maximized. :math:`\sigma` is the standard
    deviation of the model's count. The paper takes :math:`\sqrt\mu`, for which the bound is
    smallest at :math:`\mu = \beta^2 / 4`: below that it prefers *worse* predicted ranks. Yet an
    unpromising point beats every bound above its own number in [0, 1), that is nearly every
    :math:`\mu > \beta^2`: a small :math:`\beta` turns the search into a random one.

    On a ``RankingGP`` it is a :class:`~botorch_popbo.LogRankConfidenceBound`.

    Args:
        model: A fitted model.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        X_baseline: The evaluated points that could be suggested; see the base class.
        beta: Weight of the standard deviation, for which the paper gives no value.
        share: See the base class.
        poisson_deviation: Whether :math:`\sigma` is the square root of the expected count.
        seed: Seed of the random numbers of unpromising points.

    Raises:
        ValueError: If ``beta`` is negative or ``share`` is out of range.
    """

    sign = -1.0
    of_space = LogRankConfidenceBound

    def __init__(
        self,
        model: RankModel,
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
        beta: float = 3.0,
        share: float | None = 0.6,
        poisson_deviation: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(model, X_pending, X_baseline, share, seed)
        self.beta = check_weight(beta)
        self.poisson_deviation = poisson_deviation

    @classmethod
    def paper(cls, model: RankModel, **options: Any) -> Self:
        """The function with all settings of Wang et al. (2023).

        Args:
            model: A fitted ``PoissonRankModel.paper``.
            **options: See the constructor, without ``poisson_deviation``, which is true.

        Returns:
            The acquisition function.
        """
        return cls(model, poisson_deviation=True, **options)

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
