"""Ranks as a function of the utility: the ladder of what was evaluated."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Ladder:
    """Utilities of evaluated points, and how many points each of them stands for.

    Attributes:
        rungs: Utilities, falling, of shape ``K``.
        weight: Number of evaluated points at each rung, of shape ``K``.
    """

    rungs: Tensor
    weight: Tensor

    @classmethod
    def from_ranks(cls, rungs: Tensor, better: Tensor, total: int) -> "Ladder":
        """Share all evaluated points out among the rungs.

        Args:
            rungs: Utilities, falling, of shape ``K``.
            better: Number of evaluated points better than each rung, of shape ``K``.
            total: Number of evaluated points.

        Returns:
            The ladder. Points between two rungs count half to either side.
        """
        between = (better[:-1] + better[1:] + 1.0) / 2.0
        edges = torch.cat([better.new_zeros(1), between, better.new_full((1,), float(total))])
        return cls(rungs, edges.diff())

    def to(self, like: Tensor) -> "Ladder":
        """The ladder in the dtype and on the device of a tensor."""
        return Ladder(self.rungs.to(like), self.weight.to(like))

    @property
    def total(self) -> Tensor:
        """Number of evaluated points, a scalar tensor."""
        return self.weight.sum().round()

    @property
    def better(self) -> Tensor:
        """Number of evaluated points above each rung, of shape ``K``."""
        return self.weight.cumsum(0) - self.weight

    def threshold(self, count: Tensor) -> Tensor:
        """The utility from which on at most so many points are better.

        Args:
            count: Whole numbers of better points, of any shape.

        Returns:
            A tensor of the same shape; infinite below 0, minus infinite from the total on.
        """
        reached = torch.searchsorted(self.weight.cumsum(0).round(), count.contiguous(), right=True)
        infinity = self.rungs.new_full((1,), torch.inf)
        bounded = torch.cat([self.rungs, -infinity])[reached]
        return torch.where(count < 0.0, infinity, bounded)

    def count(self, utility: Tensor) -> Tensor:
        """How many evaluated points are better.

        Args:
            utility: Utilities of any shape.

        Returns:
            Whole numbers of the same shape.
        """
        passed = torch.searchsorted(-self.rungs, -utility.contiguous())
        return torch.cat([self.weight.new_zeros(1), self.weight.cumsum(0)])[passed].round()

    def log_rank(self, utility: Tensor) -> Tensor:
        """Logarithm of the rank, interpolated: smooth where :meth:`count` jumps.

        At a rung it counts half of the rung's own points. Beyond the best rung the rank falls by a
        factor e with every step as wide as the first one; below the worst it nears the total in
        the same manner.

        Args:
            utility: Utilities of any shape.

        Returns:
            A tensor of the same shape.
        """
        rank = self.better + self.weight / 2.0
        if len(rank) == 1:
            return torch.where(utility > self.rungs, rank.log() - 1.0, rank.log())
        values = utility.contiguous()
        above = torch.searchsorted(-self.rungs, -values.detach()).clamp(1, len(rank) - 1)
        high, low = self.rungs[above - 1], self.rungs[above]
        share = ((high - values) / (high - low)).clamp(0.0, 1.0)
        inner = (rank[above - 1].lerp(rank[above], share)).log()
        beyond = (values - self.rungs[0]).clamp_min(0.0) / (self.rungs[0] - self.rungs[1])
        depth = (self.rungs[-1] - values).clamp_min(0.0) / (self.rungs[-2] - self.rungs[-1])
        last = self.total - self.weight[-1] / 2.0 * torch.exp(-depth)
        return torch.where(depth > 0.0, last.log(), inner - beyond)
