"""Rank counts as one order of all records, and how far each record can be trusted."""

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor


@dataclass(frozen=True)
class Ranking:
    """Records in the order of their shares of better points.

    Attributes:
        level: Position of each record's share among the distinct shares, from 0 for the best, of
            shape ``m``.
        start: A guess of the utilities of the distinct shares, strictly falling, of shape ``L``.
        variance: Variance of each record's utility that its count leaves open, of shape ``m``.
        better: Number of evaluated points that are better than each record, of shape ``m``.
        num_points: Number of evaluated points.
    """

    level: Tensor
    start: Tensor
    variance: Tensor
    better: Tensor
    num_points: int

    @classmethod
    def from_counts(cls, counts: Tensor, exposure: Tensor, num_points: int) -> Self:
        """Order records by their counts.

        A record that was compared with all others has an exact rank. One that was compared with
        ``n`` of them is a sample without replacement, whose variance carries the correction
        ``1 - n / (N - 1)``; records of the same rank share as many ranks as there are records.
        Not so the worst ones, failed runs among them: they would be as uncertain as their number is
        large, and reach above the others. How bad they are among themselves is of no interest, so
        they share two ranks; exact ties would be taken for a sign of a flat function.

        Args:
            counts: Numbers of better points, of shape ``m``.
            exposure: Numbers of points compared with, of shape ``m``.
            num_points: Number ``N`` of evaluated points.

        Returns:
            The ranking, in double precision.
        """
        k, n = counts.double(), exposure.double()
        share = (k + 0.5) / (n + 1.0)
        distinct, level = share.unique(return_inverse=True)
        left_out = (1.0 - n / max(num_points - 1, 1)).clamp_min(0.0)
        tied = level.bincount(minlength=len(distinct))
        tied[-1] = tied[-1].clamp_max(2)
        tied = tied[level]
        variance = left_out * share * (1.0 - share) / (n + 2.0)
        variance = variance + (tied.square() - 1.0) / (12.0 * len(k) ** 2)
        # From shares to utilities, whose scale is that of a standard normal variable.
        score = torch.special.ndtri(share)
        density = torch.exp(-0.5 * score.square()) / math.sqrt(2.0 * math.pi)
        return cls(
            level=level,
            start=-torch.special.ndtri(distinct),
            variance=variance / density.square(),
            better=share * num_points - 0.5,
            num_points=num_points,
        )

    def subset(self, index: Tensor) -> Self:
        """The same ranking of some of the records.

        Args:
            index: Indices of the records, without repetition.

        Returns:
            The ranking among them; ``better`` still counts all points.
        """
        levels, level = self.level[index].unique(return_inverse=True)
        return type(self)(
            level=level,
            start=self.start[levels],
            variance=self.variance[index],
            better=self.better[index],
            num_points=self.num_points,
        )

    def to(self, device: torch.device) -> Self:
        """The same ranking on another device."""
        if self.level.device == device:
            return self
        return type(self)(
            level=self.level.to(device),
            start=self.start.to(device),
            variance=self.variance.to(device),
            better=self.better.to(device),
            num_points=self.num_points,
        )
