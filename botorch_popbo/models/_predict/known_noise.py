"""A Gaussian process that was given observations of known noise."""

from typing import Any, Self, cast

from botorch.acquisition.objective import PosteriorTransform
from botorch.models.gp_regression import SingleTaskGP
from botorch.posteriors import GPyTorchPosterior, TransformedPosterior
from botorch.sampling import MCSampler
from torch import Tensor


class KnownNoiseGP(SingleTaskGP):
    """A Gaussian process of which one outcome more is as noisy as any.

    For BoTorch its noise is the average of that which was given. But a value without noise may have
    been supposed, as entropy searches do of the optimum, and that changes no outcome.

    Args:
        outcome_noise: Variance of an outcome's noise, a scalar tensor.
        **kwargs: See :class:`~botorch.models.SingleTaskGP`, with ``train_Yvar``.
    """

    outcome_noise: Tensor

    def __init__(self, outcome_noise: Tensor, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.register_buffer("outcome_noise", outcome_noise.reshape(1, 1), persistent=False)

    def posterior(  # type: ignore[override]  # the base classes do not agree
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> GPyTorchPosterior | TransformedPosterior:
        """See the base class."""
        noise = self.outcome_noise if observation_noise is True else observation_noise
        return super().posterior(X, output_indices, noise, posterior_transform)

    def condition_on_observations(
        self, X: Tensor, Y: Tensor, noise: Tensor | None = None, **kwargs: Any
    ) -> Self:
        """See the base class; by default the noise is that of an outcome."""
        noise = self.outcome_noise.expand(*X.shape[:-1], 1) if noise is None else noise
        conditioned: Any = super().condition_on_observations(X, Y, noise=noise, **kwargs)
        return cast(Self, conditioned)

    def fantasize(
        self, X: Tensor, sampler: MCSampler, observation_noise: Tensor | None = None, **kwargs: Any
    ) -> Self:
        """See the base class; by default the noise is that of an outcome."""
        noise = self.outcome_noise if observation_noise is None else observation_noise
        return super().fantasize(X, sampler, observation_noise=noise, **kwargs)
