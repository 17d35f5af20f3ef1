"""Ranks as a function of the utility: the utilities of what was evaluated are thresholds."""

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor


@dataclass(frozen=True)
class Thresholds:
    """Utilities of evaluated points, and how many points each of them stands for.

    Attributes:
        values: Utilities, falling, of shape ``K``.
        weight: Number of evaluated points at each threshold, of shape ``K``.
    """

    values: Tensor
    weight: Tensor

    @classmethod
    def from_ranks(cls, values: Tensor, better: Tensor, total: int) -> Self:
        """Share all evaluated points out among the thresholds.

        Args:
            values: Utilities, falling, of shape ``K``.
            better: Number of evaluated points better than each threshold, of shape ``K``.
            total: Number of evaluated points.

        Returns:
            The thresholds. Points between two of them count half to either side.
        """
        between = (better[:-1] + better[1:] + 1.0) / 2.0
        edges = torch.cat([better.new_zeros(1), between, better.new_full((1,), float(total))])
        return cls(values, edges.diff())

    def to(self, like: Tensor) -> Self:
        """The thresholds in the dtype and on the device of a tensor."""
        return type(self)(self.values.to(like), self.weight.to(like))

    @property
    def total(self) -> Tensor:
        """Number of evaluated points, a scalar tensor."""
        return self.weight.sum().round()

    @property
    def better(self) -> Tensor:
        """Number of evaluated points above each threshold, of shape ``K``."""
        return self.weight.cumsum(0) - self.weight

    def at(self, count: Tensor) -> Tensor:
        """The utility from which on at most so many points are better.

        Args:
            count: Whole numbers of better points, of any shape.

        Returns:
            A tensor of the same shape; infinite below 0, minus infinite from the total on.
        """
        reached = torch.searchsorted(self.weight.cumsum(0).round(), count.contiguous(), right=True)
        infinity = self.values.new_full((1,), torch.inf)
        bounded = torch.cat([self.values, -infinity])[reached]
        return torch.where(count < 0.0, infinity, bounded)

    def count(self, utility: Tensor) -> Tensor:
        """How many evaluated points are better.

        Args:
            utility: Utilities of any shape.

        Returns:
            Whole numbers of the same shape.
        """
        passed = torch.searchsorted(-self.values, -utility.contiguous())
        return torch.cat([self.weight.new_zeros(1), self.weight.cumsum(0)])[passed].round()

    def log_rank(self, utility: Tensor) -> Tensor:
        """Logarithm of the rank, interpolated: smooth where :meth:`count` jumps.

        At a threshold it counts half of the threshold's own points. Beyond the best one the rank
        falls by a factor e with every step as wide as the first one; below the worst it nears the
        total in the same manner.

        Args:
            utility: Utilities of any shape.

        Returns:
            A tensor of the same shape.
        """
        rank = self.better + self.weight / 2.0
        if len(rank) == 1:
            return torch.where(utility > self.values, rank.log() - 1.0, rank.log())
        values = utility.contiguous()
        above = torch.searchsorted(-self.values, -values.detach()).clamp(1, len(rank) - 1)
        high, low = self.values[above - 1], self.values[above]
        share = ((high - values) / (high - low)).clamp(0.0, 1.0)
        inner = (rank[above - 1].lerp(rank[above], share)).log()
        beyond = (values - self.values[0]).clamp_min(0.0) / (self.values[0] - self.values[1])
        depth = (self.values[-1] - values).clamp_min(0.0) / (self.values[-2] - self.values[-1])
        last = self.total - self.weight[-1] / 2.0 * torch.exp(-depth)
        return torch.where(depth > 0.0, last.log(), inner - beyond)
