"""A BoTorch model of independent Gaussians, given their means and variances."""

from collections.abc import Callable
from typing import Any

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.posteriors import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from linear_operator.operators import DiagLinearOperator
from torch import Tensor

#: Maps ``batch_shape x q x d`` points to means and variances, both ``batch_shape x q``.
Moments = Callable[[Tensor], tuple[Tensor, Tensor]]


def standardize(values: Tensor) -> Tensor:
    """Shift and scale the columns of an ``N x k`` tensor to mean zero and deviation one."""
    deviation = values.std(0, correction=0)
    # A column without spread stays at zero.
    return (values - values.mean(0)) / torch.where(deviation > 0, deviation, 1.0)


class MomentModel(Model):
    """Independent Gaussians.

    Args:
        moments: Their means and variances.
    """

    num_outputs = 1
    batch_shape = torch.Size()

    def __init__(self, moments: Moments) -> None:
        super().__init__()
        self.moments = moments

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
        **kwargs: Any,
    ) -> GPyTorchPosterior:
        """See the base class; all arguments but the points are without effect."""
        mean, variance = self.moments(X)
        return GPyTorchPosterior(MultivariateNormal(mean, DiagLinearOperator(variance)))
