"""The posterior over rank counts of a normal utility among known ones."""

from collections.abc import Callable
from functools import cached_property

import torch
from botorch.posteriors import GPyTorchPosterior
from torch import Tensor

from botorch_popbo.posteriors._thresholds import Thresholds
from botorch_popbo.posteriors.base import RankPosterior

_MIN_VARIANCE = 1e-20


class GaussianRankPosterior(RankPosterior):
    r"""The law of how many evaluated points are better, for an uncertain utility.

    The evaluated points have utilities :math:`t_0 > t_1 > \dots`; a new point with utility
    :math:`z` ranks behind those above it. Given the utility nothing is left to chance, so all
    uncertainty of the count is that of :math:`z \sim N(m, s^2)`, and every probability is one of
    the normal law: :math:`P(R \le k) = P(z \ge t_k)`.

    Args:
        mean: Expected utilities, ``batch_shape x q``.
        variance: Variances of the utilities, ``batch_shape x q``.
        thresholds: The evaluated points' utilities.
        utility: Makes the joint posterior of the ``q`` utilities, which only joint draws need.
    """

    def __init__(
        self,
        mean: Tensor,
        variance: Tensor,
        thresholds: Thresholds,
        utility: Callable[[], GPyTorchPosterior],
    ) -> None:
        self._mean = mean.unsqueeze(-1)
        self._deviation = variance.clamp_min(_MIN_VARIANCE).sqrt().unsqueeze(-1)
        self.thresholds = thresholds
        self.exposure = thresholds.total
        self._utility = utility

    @cached_property
    def utility(self) -> GPyTorchPosterior:
        """Joint posterior of the utilities, ``batch_shape x q x 1``, larger being better."""
        return self._utility()

    @property
    def log_rate(self) -> Tensor:
        """Logarithm of the rank of the expected utility, ``batch_shape x q x 1``."""
        return self.thresholds.log_rank(self._mean)

    @property
    def mean(self) -> Tensor:
        """Expected counts, ``batch_shape x q x 1``, in ranks."""
        return (self._below() * self.thresholds.weight).sum(-1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        """Variances of the counts, ``batch_shape x q x 1``, in squared ranks."""
        weight, better = self.thresholds.weight, self.thresholds.better
        # E[R^2], summed by parts: passing below a threshold adds its weight to the count.
        second = (self._below() * weight * (2.0 * better + weight)).sum(-1, keepdim=True)
        return (second - self.mean.square()).clamp_min(0.0)

    def log_prob(self, value: Tensor) -> Tensor:
        """See the base class."""
        inside = (value >= 0.0) & (value <= self.exposure) & (value == value.floor())
        upper = self.thresholds.at(value - 1.0)
        lower = self.thresholds.at(value)
        high, low = self._score(upper), self._score(lower)
        flip = low > 0.0
        high, low = torch.where(flip, -low, high), torch.where(flip, -high, low)
        gap = torch.special.ndtr(high) - torch.special.ndtr(low)
        log_gap = gap.clamp_min(torch.finfo(gap.dtype).tiny).log()
        return torch.where(inside & (upper > lower), log_gap, -torch.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """See the base class."""
        probability: Tensor = torch.special.ndtr(-self._score(self.thresholds.at(value.floor())))
        return probability

    def quantile(self, value: Tensor) -> Tensor:
        """See the base class."""
        if bool(((value < 0.0) | (value > 1.0)).any()):
            raise ValueError("Probabilities are between 0 and 1.")
        score = torch.special.ndtri(1.0 - self._in_front(value))
        return self.thresholds.count(self._mean + self._deviation * score)

    def entropy(self) -> Tensor:
        """See the base class."""
        ones = torch.ones_like(self._mean)
        below = torch.cat([ones, self._below(), 0.0 * ones], dim=-1)
        cell = -below.diff(dim=-1)
        entropy: Tensor = torch.special.entr(cell).sum(-1, keepdim=True)
        return entropy

    def rsample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """Draw ranks of jointly drawn utilities, interpolated between whole ranks.

        Args:
            sample_shape: Shape of the draws.

        Returns:
            A ``sample_shape x batch_shape x q x 1`` tensor, in ranks, differentiable.
        """
        drawn = self.utility.rsample(sample_shape or torch.Size())
        return self.thresholds.log_rank(drawn).exp()

    def rsample_from_base_samples(self, sample_shape: torch.Size, base_samples: Tensor) -> Tensor:
        """Like :meth:`rsample`, from standard normal numbers.

        Args:
            sample_shape: Shape of the draws.
            base_samples: A ``sample_shape x batch_shape x q x 1`` tensor, broadcastable.

        Returns:
            A ``sample_shape x batch_shape x q x 1`` tensor, in ranks, differentiable.
        """
        # The normal law has no dimension of outputs.
        drawn = self.utility.rsample_from_base_samples(sample_shape, base_samples.squeeze(-1))
        return self.thresholds.log_rank(drawn).exp()

    def sample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """See the base class."""
        with torch.no_grad():
            return self.thresholds.count(self.utility.rsample(sample_shape or torch.Size()))

    def sample_merit(self, sample_shape: torch.Size) -> Tensor:
        """See the base class."""
        with torch.no_grad():
            return self.utility.rsample(sample_shape)

    def log_improvement(self, K_m: int) -> Tensor:
        """See the base class; a sum of normal tail probabilities, added in log space."""
        ranks = torch.arange(K_m, device=self.device, dtype=self.dtype)
        log_prob = self.log_survival(self.thresholds.at(ranks))
        return log_prob.logsumexp(-1, keepdim=True)

    def log_survival(self, utility: Tensor) -> Tensor:
        """Log-probabilities that the utilities are at least as high as given ones.

        Args:
            utility: Utilities, ``batch_shape x q x m`` or broadcastable; of infinite ones the
                probability is zero or one.

        Returns:
            A ``batch_shape x q x m`` tensor, in nats.
        """
        log_prob: Tensor = torch.special.log_ndtr(-self._score(utility))
        return log_prob

    @property
    def device(self) -> torch.device:
        """Device of the utilities."""
        return self._mean.device

    @property
    def dtype(self) -> torch.dtype:
        """Data type of the utilities."""
        return self._mean.dtype

    @property
    def base_sample_shape(self) -> torch.Size:
        """Shape of the base samples of one draw, ``batch_shape x q x 1``."""
        return self._mean.shape

    def _below(self) -> Tensor:
        """Probabilities of ranking behind each threshold, ``batch_shape x q x K``."""
        below: Tensor = torch.special.ndtr(self._score(self.thresholds.values))
        return below

    def _score(self, utility: Tensor) -> Tensor:
        """Distances above the mean in standard deviations; infinite ones carry no gradient."""
        is_finite = utility.isfinite()
        score = (torch.where(is_finite, utility, 0.0) - self._mean) / self._deviation
        return torch.where(is_finite, score, utility)
