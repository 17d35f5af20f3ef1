"""The rectified lower confidence bound (R-LCB) of a rank."""

from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo.acquisition.known_points import closeness
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.posteriors.rank import RankPosterior


class RectifiedLowerConfidenceBound(RectifiedAcquisitionFunction):
    r"""Negated lower confidence bound of the rank, rectified.

    The bound is :math:`\mu(x) - \beta \sigma(x)`, equations (6) and (7) of Wang et al. (2023), in
    ranks; it is negated because acquisition functions are maximised. :math:`\sigma` is the exact
    standard deviation of the count; the paper's preset takes :math:`\sqrt\mu`, for which the bound
    is smallest at :math:`\mu = \beta^2 / 4`: below that it prefers *worse* predicted ranks. Yet an
    unpromising point beats every bound above its own number in [0, 1), that is nearly every
    :math:`\mu > \beta^2`: a small :math:`\beta` turns the search into a random one.

    Args:
        model: A fitted model.
        beta: Weight of the standard deviation. The paper does not give its value.
        q: Share of the evaluated points that a promising point may rank behind, in (0, 1]; ``None``
            rectifies nothing. By default 0.6 for a network and ``None`` for a Gaussian process.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.

    Raises:
        ValueError: If ``beta`` is negative or ``q`` is out of range.
    """

    paper_q = 0.6

    def __init__(
        self,
        model: PoissonRankModel,
        beta: float = 3.0,
        q: float | _DefaultType | None = DEFAULT,
        X_pending: Tensor | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(model=model, q=q, X_pending=X_pending, seed=seed)
        if beta < 0:
            raise ValueError(
                f"beta weighs a standard deviation and is not negative, but got {beta}."
            )
        self.beta = beta

    def _value(self, posterior: RankPosterior) -> Tensor:
        mean = posterior.mean
        variance = mean if self.model.preset.poisson_deviation else posterior.variance
        return self.beta * variance.clamp_min(1e-30).sqrt() - mean

    def _random(self, uniform: Tensor) -> Tensor:
        return -uniform

    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        # At a known point at most -2, below the numbers in (-1, 0] of unpromising points.
        return value.lerp(value.clamp_max(0.0) - 2.0, closeness(distance))


class LowerConfidenceBound(RectifiedLowerConfidenceBound):
    """Negated lower confidence bound of the rank without rectification, the paper's ablation.

    Args:
        model: A fitted model.
        beta: Weight of the standard deviation.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.

    Raises:
        ValueError: If ``beta`` is negative.
    """

    def __init__(
        self, model: PoissonRankModel, beta: float = 3.0, X_pending: Tensor | None = None
    ) -> None:
        super().__init__(model=model, beta=beta, q=None, X_pending=X_pending)
