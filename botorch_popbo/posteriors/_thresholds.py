"""Ranks as a function of a utility: what was evaluated stands at thresholds."""

from dataclasses import dataclass

import torch
from torch import Tensor

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

    @property
    def total(self) -> Tensor:
        """Number of evaluated points, a scalar tensor."""
        return self.size.sum()

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
        deepest = self.total - self.size[-1] / 2.0 * torch.exp(-depth)
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
