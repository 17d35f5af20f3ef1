"""The joint normal law of many points, of which mostly the marginals are asked for."""

from botorch.posteriors import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from torch import Tensor


class MarginalPosterior(GPyTorchPosterior):
    """A normal posterior whose variance was computed together with its mean.

    Each alone takes the covariances of all points with all records.

    Args:
        distribution: The joint law, whose covariance is not computed before it is used.
        variance: Its variances, ``batch_shape x q``.
    """

    def __init__(self, distribution: MultivariateNormal, variance: Tensor) -> None:
        super().__init__(distribution)
        self._variance = variance.unsqueeze(-1)

    @property
    def variance(self) -> Tensor:
        """Variances, ``batch_shape x q x 1``."""
        return self._variance
