"""Expected improvement of the utility behind the ranks."""

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions import UnsupportedError
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from botorch_popbo.acquisition.known_points import distance_to_known, log_farness
from botorch_popbo.acquisition.log_improvement import MIN_VARIANCE, log_improvement
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.models.utility import UtilityModel


class LogExpectedUtilityImprovement(AcquisitionFunction):
    r"""Logarithm of the expected improvement of the utility over the incumbent's.

    .. math::

        \alpha(x) = \log E[\max(z(x) - z(x^*), 0)]
            + \log\left(1 - \frac{\sigma}{\sqrt{s^2(x) + \sigma^2}}\right),

    where the incumbent :math:`x^*` is the evaluated point that the model recommends: with noise
    the best rank belongs to a lucky outcome. Its utility is as uncertain as any, so the
    expectation is over the difference, of variance :math:`s^2`. The second term is the
    augmentation of Huang et al. (2006): where the noise :math:`\sigma^2` is larger than what is
    left to learn, another evaluation tells little. Without noise it vanishes. The numerics of the
    logarithm are BoTorch's (Ament et al., 2023).

    The improvement of one noisy rank, which :class:`~botorch_popbo.ExpectedRankingImprovement`
    computes, cannot tell two points apart that are both likely to come first; this one can.

    Pending points enter the model at their predicted ranks. A known point is never suggested twice.

    Args:
        model: A fitted rank model whose preset has a Gaussian process, or its utility model.
        X_pending: Points being evaluated, an ``m x d`` tensor.

    Raises:
        UnsupportedError: If the model has a network, which knows no uncertainty of its rate.
    """

    model: UtilityModel
    X_pending: Tensor | None  # type: ignore[assignment]  # typed for a function that has some
    _known: Tensor
    _incumbent: Tensor

    def __init__(
        self, model: PoissonRankModel | UtilityModel, X_pending: Tensor | None = None
    ) -> None:
        utility = model if isinstance(model, UtilityModel) else UtilityModel(model)
        super().__init__(model=utility)
        self.set_X_pending(X_pending)

    def set_X_pending(self, X_pending: Tensor | None = None) -> None:  # noqa: N802
        """Tell which points are being evaluated.

        Args:
            X_pending: An ``m x d`` tensor, or ``None``.
        """
        if X_pending is not None and X_pending.requires_grad:
            raise UnsupportedError("Pending points are constants; detach X_pending.")
        self.X_pending = X_pending
        self._informed = self.model
        if X_pending is not None and X_pending.numel() > 0:
            self._informed = UtilityModel(self.rank_model.with_pending(X_pending))
        informed, rate = self._informed.model, self._informed.rate
        known = informed.encode(informed.rank_counts.X)
        self.register_buffer("_known", known, persistent=False)
        eligible = self._eligible(informed.rank_counts.X[rate.records])
        self.register_buffer("_incumbent", rate.X[rate.incumbent(eligible)], persistent=False)

    @t_batch_mode_transform(expected_q=1)  # type: ignore[arg-type]  # typed for its base class
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate the acquisition function.

        Args:
            X: Points, a ``batch_shape x 1 x d`` tensor.

        Returns:
            A ``batch_shape`` tensor, larger being better.
        """
        encoded = self._informed.model.encode(X)
        distance = distance_to_known(self._informed.model, encoded, self._known).squeeze(-1)
        return (self._log_improvement(encoded) + log_farness(distance)).squeeze(-1)

    @property
    def rank_model(self) -> PoissonRankModel:
        """The model of the ranks."""
        return self.model.model

    def _eligible(self, X: Tensor) -> Tensor | None:
        """Which of the records may be the incumbent: all."""
        return None

    def _log_improvement(self, encoded: Tensor) -> Tensor:
        """The logarithm of the expected improvement and its augmentation, ``batch_shape x 1``."""
        mean, variance, own = self._informed.rate.improvement_moments(encoded, self._incumbent)
        return log_improvement(mean, variance) + self._log_gain(own.clamp_min(MIN_VARIANCE))

    def _log_gain(self, variance: Tensor) -> Tensor:
        """Logarithm of the augmentation ``1 - sigma / sqrt(variance + sigma^2)``."""
        ratio = variance / self._informed.rate.noise.detach()
        return (-torch.expm1(-0.5 * torch.log1p(ratio))).log()
