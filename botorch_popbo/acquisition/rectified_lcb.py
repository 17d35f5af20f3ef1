"""The rectified lower confidence bound (R-LCB) of a rank."""

from torch import Tensor

from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior


class RectifiedLowerConfidenceBound(RectifiedAcquisitionFunction):
    r"""Negated lower confidence bound of the rank, rectified.

    The bound is :math:`\mu(x) - \beta \sigma(x)`, equations (6) and (7) of Wang et al. (2023), in
    ranks; it is negated because acquisition functions are maximised. In the paper's preset
    :math:`\sigma = \sqrt\mu`, and the bound is smallest at :math:`\mu = \beta^2 / 4`: below that
    it prefers *worse* predicted ranks. Yet an unpromising point beats every bound above its own
    number in [0, 1), that is nearly every :math:`\mu > \beta^2`: a small :math:`\beta` turns the
    search into a random one.

    Args:
        model: A fitted model.
        beta: Weight of the standard deviation. The paper does not give its value.
        q: Share of the evaluated points that a promising point may rank behind, in (0, 1].
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the random numbers of unpromising points.

    Raises:
        ValueError: If ``beta`` is negative or ``q`` is out of range.
    """

    def __init__(
        self,
        model: PoissonRankModel,
        beta: float = 3.0,
        q: float = 0.6,
        X_pending: Tensor | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(model=model, q=q, X_pending=X_pending, seed=seed)
        if beta < 0:
            raise ValueError(
                f"beta weighs a standard deviation and is not negative, but got {beta}."
            )
        self.beta = beta

    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        mean = posterior.mean
        variance = mean if self.model.preset.poisson_deviation else posterior.variance
        return self.beta * variance.clamp_min(1e-30).sqrt() - mean

    def _random(self, uniform: Tensor) -> Tensor:
        return -uniform

    def _known_value(self, value: Tensor) -> Tensor:
        return value.clamp_max(0.0) - 2.0
