"""The lower confidence bound of a rank: rectified (R-LCB) and vanilla."""

from typing import Any, Self

from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo.acquisition._known_points import proximity
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.models.base import RankModel
from botorch_popbo.posteriors.base import RankPosterior


class RectifiedLowerConfidenceBound(RectifiedAcquisitionFunction):
    r"""Negated lower confidence bound of the rank, rectified.

    The bound is :math:`\mu(x) - \beta \sigma(x)`, equations (6) and (7) of Wang et al. (2023), in
    ranks; it is negated because acquisition functions are maximised. :math:`\sigma` is the standard
    deviation of the model's count. The paper takes :math:`\sqrt\mu`, for which the bound
    is smallest at :math:`\mu = \beta^2 / 4`: below that it prefers *worse* predicted ranks. Yet an
    unpromising point beats every bound above its own number in [0, 1), that is nearly every
    :math:`\mu > \beta^2`: a small :math:`\beta` turns the search into a random one.

    Args:
        model: A fitted model.
        beta: Weight of the standard deviation. The paper does not give its value.
        share: Share of the evaluated points that a promising point may rank behind, in (0, 1], the
            paper's :math:`q`; ``None`` rectifies nothing. By default the paper's 0.6 for a model
            without uncertainty, ``None`` for others.
        poisson_deviation: Whether :math:`\sigma` is the square root of the expected count.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``beta`` is negative or ``share`` is out of range.
    """

    paper_share = 0.6

    def __init__(
        self,
        model: RankModel,
        beta: float = 3.0,
        share: float | _DefaultType | None = DEFAULT,
        poisson_deviation: bool = False,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
    ) -> None:
        super().__init__(model, share, X_pending, seed, X_baseline)
        if not beta >= 0:
            raise ValueError(
                f"beta weighs a standard deviation and is not negative, but got {beta}."
            )
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
        return self.beta * variance.clamp_min(1e-30).sqrt() - mean

    def _random(self, uniform: Tensor) -> Tensor:
        return -uniform

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        # At a known point at most -2, below the numbers in (-1, 0] of unpromising points.
        value = value.lerp(value.clamp_max(0.0) - 2.0, proximity(distance))
        # No bound of another point is below minus the number of points.
        return value - len(self._informed.known_X) * (distance == 0.0)


class LowerConfidenceBound(RectifiedLowerConfidenceBound):
    """Negated lower confidence bound of the rank without rectification, the paper's ablation.

    Args:
        model: A fitted model.
        beta: Weight of the standard deviation.
        poisson_deviation: Whether the deviation is the square root of the expected count.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``beta`` is negative.
    """

    def __init__(
        self,
        model: RankModel,
        beta: float = 3.0,
        poisson_deviation: bool = False,
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
    ) -> None:
        super().__init__(
            model, beta, None, poisson_deviation, X_pending=X_pending, X_baseline=X_baseline
        )
