"""The posterior over rank counts of a Poisson process."""

import torch
from torch import Tensor

from botorch_popbo.likelihoods import distribution, truncated_poisson
from botorch_popbo.posteriors.base import RankPosterior


class PoissonRankPosterior(RankPosterior):
    r"""The law of how many of the evaluated points are better than each of ``q`` points.

    Counts are in ranks and smaller is better: 0 is better than everything evaluated. Marginally
    each count is a (truncated) Poisson variable, equation (5) of Wang et al. (2023).

    Args:
        log_rate: Log-rates :math:`\log \lambda` at the exposure, ``batch_shape x q x 1``.
        exposure: Number of evaluated points that a new point is compared with, a scalar tensor.
        limit: Largest count with positive probability: the exposure, or infinity for the
            untruncated law. A scalar tensor.
    """

    def __init__(self, log_rate: Tensor, exposure: Tensor, limit: Tensor) -> None:
        self._log_rate = log_rate
        self.exposure = exposure
        self.limit = limit

    @property
    def log_rate(self) -> Tensor:
        r"""Log-rates :math:`\log \lambda`, ``batch_shape x q x 1``."""
        return self._log_rate

    @property
    def mean(self) -> Tensor:
        """Expected counts, ``batch_shape x q x 1``, in ranks."""
        return truncated_poisson.mean(self.log_rate, self.limit)

    @property
    def variance(self) -> Tensor:
        """Exact variances of the counts, ``batch_shape x q x 1``, in squared ranks."""
        return truncated_poisson.variance(self.log_rate, self.limit)

    def log_prob(self, value: Tensor) -> Tensor:
        """See the base class."""
        log_prob = truncated_poisson.log_prob(value, self.log_rate, self.limit)
        return torch.where(value == value.floor(), log_prob, -torch.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """See the base class."""
        return distribution.cdf(value, self.log_rate, self.limit)

    def quantile(self, value: Tensor) -> Tensor:
        """See the base class."""
        quantile = distribution.quantile(self._in_front(value), self.log_rate, self.limit)
        return quantile.to(self.dtype)

    def entropy(self) -> Tensor:
        """See the base class."""
        return distribution.entropy(self.log_rate, self.limit)

    def rsample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """Draw expected counts from the uncertainty of the rate, differentiably.

        A count has no reparameterised sample, its rate has one. The rate of a network is certain,
        so every sample is the mean.

        Args:
            sample_shape: Shape of the draws.

        Returns:
            A ``sample_shape x batch_shape x q x 1`` tensor, in ranks.
        """
        return self.mean.expand(self._extended_shape(sample_shape or torch.Size()))

    def rsample_from_base_samples(self, sample_shape: torch.Size, base_samples: Tensor) -> Tensor:
        """Like :meth:`rsample`; the certain rate leaves nothing for base samples to move.

        Args:
            sample_shape: Shape of the draws.
            base_samples: Ignored.

        Returns:
            A ``sample_shape x batch_shape x q x 1`` tensor, in ranks.
        """
        return self.rsample(sample_shape)

    def sample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """See the base class."""
        with torch.no_grad():
            return distribution.sample(self.log_rate, self.limit, sample_shape or torch.Size())

    def sample_merit(self, sample_shape: torch.Size) -> Tensor:
        """See the base class; from a table of each point's law, which is fast."""
        with torch.no_grad():
            ranks = torch.arange(int(self.exposure) + 1).to(self.log_rate)
            law = self.log_prob(ranks).exp()
            law[..., -1] += (1.0 - law.sum(-1)).clamp_min(0.0)  # beyond the worst rank
            number = sample_shape.numel()
            drawn = law.reshape(-1, len(ranks)).multinomial(number, replacement=True).T
            return -drawn.reshape(self._extended_shape(sample_shape)).to(self.log_rate)

    def log_improvement(self, K_m: int) -> Tensor:
        r"""Logarithm of the expected ranking improvement, equation (8) of Wang et al. (2023).

        Args:
            K_m: Worst tolerable rank.

        Returns:
            A ``batch_shape x q x 1`` tensor.
        """
        ranks = torch.arange(K_m, device=self.device, dtype=self.dtype)
        log_prob = truncated_poisson.log_prob(ranks, self.log_rate, self.limit)
        return (log_prob + (K_m - ranks).log()).logsumexp(-1, keepdim=True)

    @property
    def device(self) -> torch.device:
        """Device of the log-rates."""
        return self.log_rate.device

    @property
    def dtype(self) -> torch.dtype:
        """Data type of the log-rates."""
        return self.log_rate.dtype

    @property
    def base_sample_shape(self) -> torch.Size:
        """Shape of the base samples of one draw, ``batch_shape x q x 1``."""
        return self.log_rate.shape
