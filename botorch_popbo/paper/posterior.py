"""The posterior over rank counts of a Poisson process, and its negative."""

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import UnsupportedError
from botorch.posteriors import Posterior, TransformedPosterior
from torch import Tensor

from botorch_popbo.paper import truncated_poisson
from botorch_popbo.posteriors.rank_posterior import RankPosterior


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
        self.log_rate = self.parameters = log_rate
        self.exposure = exposure
        self.limit = limit

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
        return truncated_poisson.cdf(value, self.log_rate, self.limit)

    def quantile(self, value: Tensor) -> Tensor:
        """See the base class."""
        reached = self._table().cumsum(-1)[..., :-1]  # the last count is reached in any case
        return (reached < self._in_front(value)).sum(-1, keepdim=True).to(self.dtype)

    def rsample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """Draw expected counts from the uncertainty of the rate, differentiably.

        A count has no reparameterized sample, its rate has one. The rate of a network is certain,
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
        shape = sample_shape or torch.Size()
        table = self._table()
        drawn = table.reshape(-1, table.shape[-1]).multinomial(shape.numel(), replacement=True)
        return drawn.T.reshape(self._extended_shape(shape)).to(self.dtype)

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

    def _table(self) -> Tensor:
        """Probabilities of all counts, ``batch_shape x q x K`` in double precision."""
        log_rate = self.log_rate.detach().double()
        counts = truncated_poisson.support(log_rate, self.limit)
        return truncated_poisson.log_prob(counts, log_rate, self.limit).exp()


class NegatedRank(PosteriorTransform):
    """Turn rank counts, of which fewer are better, into values of which more are better.

    Pass it as ``posterior_transform`` to BoTorch's acquisition functions and to
    :class:`~botorch.generation.MaxPosteriorSampling`. Everything is then in ranks: ``best_f=-1.0``
    asks for improvement over the second best evaluated point.

    Example:
        >>> qLogExpectedImprovement(model, best_f=-1.0, posterior_transform=NegatedRank())
    """

    scalarize = True

    def evaluate(self, Y: Tensor, X: Tensor | None = None) -> Tensor:
        """Negate counts.

        Args:
            Y: A ``batch_shape x q x 1`` tensor of ranks.
            X: Not used.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        return -Y.squeeze(-1)

    def forward(self, posterior: Posterior, X: Tensor | None = None) -> TransformedPosterior:
        """Negate the law of a count.

        Args:
            posterior: A posterior over counts.
            X: Not used.

        Returns:
            A posterior of the same shape, larger being better.

        Raises:
            UnsupportedError: If the posterior is over something else, such as a utility, which is
                larger where points are better as it is.
        """
        if not isinstance(posterior, RankPosterior):
            raise UnsupportedError(
                f"NegatedRank negates rank counts, not a {type(posterior).__name__}. The utility "
                "of a RankingGP is to be maximized as it is: leave out the transform."
            )
        return TransformedPosterior(
            posterior,
            sample_transform=lambda samples: -samples,
            mean_transform=lambda mean, variance: -mean,
            variance_transform=lambda mean, variance: variance,
        )
