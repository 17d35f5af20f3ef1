"""The posterior over rank counts of a normal utility among uncertain ones."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from botorch.posteriors import GPyTorchPosterior
from torch import Tensor

from botorch_popbo.likelihoods import normal
from botorch_popbo.posteriors.rank_posterior import RankPosterior

_NO_STEP = 1e-12  # between thresholds that rounding has made one


@dataclass(frozen=True)
class Thresholds:
    """Where the rank of each point changes, and by how many evaluated points.

    Attributes:
        values: Thresholds, falling, ``batch_shape x K``.
        size: Number of evaluated points at each threshold, of shape ``K``.
    """

    values: Tensor
    size: Tensor

    def at(self, count: Tensor) -> Tensor:
        """Where at most so many points are better, and no further down.

        Args:
            count: Whole numbers of better points, broadcastable with ``batch_shape x 1``.

        Returns:
            A tensor of the broadcast shape; infinite below 0, minus infinite from the total on.
        """
        # To the right: a count that is reached exactly belongs to the next threshold.
        reached = torch.searchsorted(self.size.cumsum(0), count.contiguous(), right=True)
        infinity = torch.full_like(self.values[..., :1], torch.inf)
        bounded = torch.cat([self.values, -infinity], dim=-1)
        shape = torch.broadcast_shapes(count.shape, infinity.shape)
        found = bounded.expand(*shape[:-1], -1).gather(-1, reached.expand(shape))
        return found.masked_fill(count < 0.0, torch.inf)

    def count(self, value: Tensor) -> Tensor:
        """How many evaluated points are better.

        Args:
            value: Values, ``sample_shape x batch_shape x 1``.

        Returns:
            Whole numbers of the same shape.
        """
        return self.passed(self._count(value, right=False))

    def passed(self, number: Tensor) -> Tensor:
        """Number of evaluated points at the first so many thresholds."""
        return torch.cat([self.size.new_zeros(1), self.size.cumsum(0)])[number]

    def log_rank(self, value: Tensor) -> Tensor:
        """Logarithm of the rank, interpolated: smooth where :meth:`count` jumps.

        At a threshold it counts half of the threshold's own points. Beyond the best one the rank
        falls by a factor e with every step as wide as the first one; below the worst it nears the
        total in the same manner.

        Args:
            value: Values, ``sample_shape x batch_shape x 1``.

        Returns:
            A tensor of the same shape.
        """
        rank, last = self.size.cumsum(0) - self.size / 2.0, len(self.size) - 1
        # Without a second threshold there is no step to measure the distance by.
        if last == 0:
            return torch.where(value > self.values, rank.log() - 1.0, rank.log())
        above = self._count(value.detach(), right=True).clamp(1, last)
        thresholds = self.values.expand(*value.shape[:-1], -1)
        high, low = thresholds.gather(-1, above - 1), thresholds.gather(-1, above)
        share = ((high - value) / (high - low).clamp_min(_NO_STEP)).clamp(0.0, 1.0)
        inner = (rank[above - 1].lerp(rank[above], share)).log()
        first, second, before, worst = thresholds[..., [0, 1, last - 1, last]].split(1, dim=-1)
        beyond = (value - first).clamp_min(0.0) / (first - second).clamp_min(_NO_STEP)
        depth = (worst - value).clamp_min(0.0) / (before - worst).clamp_min(_NO_STEP)
        deepest = self.size.sum() - self.size[-1] / 2.0 * torch.exp(-depth)
        return torch.where(depth > 0.0, deepest.log(), inner - beyond)

    def _count(self, value: Tensor, right: bool) -> Tensor:
        """How many thresholds are above each value, or not below it."""
        batch_shape = self.values.shape[:-1]
        sample_shape = value.shape[: value.ndim - 1 - len(batch_shape)]
        columns = value.expand(*sample_shape, *batch_shape, 1)
        columns = columns.reshape(sample_shape.numel(), *batch_shape).movedim(0, -1).contiguous()
        # It wants rising numbers, and one row of values for each row of thresholds.
        found = torch.searchsorted(-self.values.detach().contiguous(), -columns, right=right)
        return found.movedim(-1, 0).reshape(value.shape)


class GaussianRankPosterior(RankPosterior):
    r"""The law of how many evaluated points are better, for uncertain utilities.

    The evaluated points have utilities :math:`t_0 > t_1 > \ldots`, a new point has :math:`z`, and
    neither is certain. What counts is the difference: with its mean :math:`m - t_k` and its
    deviation :math:`s_k` a new point is at least as good as the :math:`k`-th with probability
    :math:`P(z \ge t_k) = \Phi((m - t_k) / s_k)`. So in the units of a standard normal score the
    thresholds of a point are :math:`(t_k - m) / s_k`, and everything is asked of that one score.

    Equally good points are one threshold: a new point is worse than all of them, or than none.

    Args:
        thresholds: The standard normal score from which on a point is at least as good as the
            evaluated ones, ``batch_shape x q x K``.
        utility: Makes the joint posterior of the ``q`` utilities, which only joint draws need:
            scores depend on each other as utilities do.
    """

    def __init__(self, thresholds: Thresholds, utility: Callable[[], GPyTorchPosterior]) -> None:
        self.thresholds, self.parameters = thresholds, thresholds.values
        self.exposure = thresholds.size.sum()
        self._utility = utility

    @cached_property
    def utility(self) -> GPyTorchPosterior:
        """Joint posterior of the utilities, ``batch_shape x q x 1``, larger being better."""
        return self._utility()

    @property
    def log_rate(self) -> Tensor:  # type: ignore[override]  # of a network it is given
        """Logarithm of the rank of the expected utility, ``batch_shape x q x 1``."""
        return self.thresholds.log_rank(self.parameters.new_zeros(self.base_sample_shape))

    @property
    def mean(self) -> Tensor:
        """Expected counts, ``batch_shape x q x 1``, in ranks."""
        return self._mean.to(self.dtype)

    @property
    def variance(self) -> Tensor:
        """Variances of the counts, ``batch_shape x q x 1``, in squared ranks."""
        # Of the squares' mean less the mean's square nothing may be left in single precision.
        size, mean = self.thresholds.size.double(), self._mean
        apart = torch.cat([-mean, size.cumsum(0) - mean], dim=-1)
        return (self._cells().double() * apart.square()).sum(-1, keepdim=True).to(self.dtype)

    @cached_property
    def _mean(self) -> Tensor:
        # Summed by parts: passing below a threshold adds its size to the count.
        below = torch.special.ndtr(self.parameters).double()
        return below @ self.thresholds.size.double().unsqueeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """See the base class."""
        high, low = self.thresholds.at(value - 1.0), self.thresholds.at(value)
        inside = (value >= 0.0) & (value <= self.exposure) & (value == value.floor()) & (high > low)
        return torch.where(inside, normal.log_prob_between(low, high), -torch.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """See the base class."""
        return torch.special.ndtr(-self.thresholds.at(value.floor()))

    def quantile(self, value: Tensor) -> Tensor:
        """See the base class."""
        reached = torch.special.ndtr(-self.parameters)
        return self.thresholds.passed((reached < self._in_front(value)).sum(-1, keepdim=True))

    def rsample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """Draw ranks of jointly drawn scores, interpolated between whole ranks.

        Args:
            sample_shape: Shape of the draws.

        Returns:
            A ``sample_shape x batch_shape x q x 1`` tensor, in ranks, differentiable.
        """
        # The interpolated rank: a whole one has no slope, and searches by samples need one.
        drawn = self.utility.rsample(sample_shape or torch.Size())
        return self.thresholds.log_rank(self._standardized(drawn)).exp()

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
        return self.thresholds.log_rank(self._standardized(drawn)).exp()

    def sample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """See the base class."""
        with torch.no_grad():
            drawn = self.utility.rsample(sample_shape or torch.Size())
            return self.thresholds.count(self._standardized(drawn))

    def _cells(self) -> Tensor:
        """Probabilities of standing between two thresholds, ``batch_shape x q x (K + 1)``."""
        below = torch.special.ndtr(self.parameters)  # each threshold
        ones = torch.ones_like(below[..., :1])
        cell = -torch.cat([ones, below, 0.0 * ones], dim=-1).diff(dim=-1)
        # Rounding makes zeros, and neither their entropy nor the root of a variance has a slope.
        return cell.clamp_min(torch.finfo(cell.dtype).tiny)

    def _standardized(self, utility: Tensor) -> Tensor:
        """Scores of drawn utilities, standard normal for each point."""
        return (utility - self.utility.mean) / self.utility.variance.sqrt()
