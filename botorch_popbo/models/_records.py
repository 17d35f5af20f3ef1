"""An order as one ranking of records, and how far each record can be trusted."""

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from botorch_popbo.data._tally import tally
from botorch_popbo.data.order import Order


@dataclass(frozen=True)
class Records:
    """Points of the tasks of an order, ranked among each other.

    Attributes:
        item: Which point of the order each record is about, of shape ``m``.
        level: Position of each record among the distinct ranks, from 0 for the best, of shape
            ``m``.
        start: A guess of the utilities of the distinct ranks, strictly falling, of shape ``L``.
        variance: Variance of each record's utility that the order leaves open, of shape ``m``.
        better: Number of evaluated points that are better than each record, of shape ``m``.
        num_points: Number of evaluated points.
    """

    item: Tensor
    level: Tensor
    start: Tensor
    variance: Tensor
    better: Tensor
    num_points: int

    @classmethod
    def from_order(cls, order: Order) -> Self:
        """Rank the points of all tasks.

        The places of one list are kept as they are. Points of several lists are ranked by their
        shares of better points.

        A record that was compared with all others has an exact rank. One that was compared with
        ``n`` of them is a sample without replacement, whose variance carries the correction
        ``1 - n / (N - 1)``; records of the same rank share as many ranks as there are records.
        Not so the worst ones, failed runs among them: they would be as uncertain as their number is
        large, and reach above the others. How bad they are among themselves is of no interest, so
        they share two ranks; exact ties would be taken for a sign of a flat function. A known
        variance of a score counts by how far one deviation reaches.

        Args:
            order: The order.

        Returns:
            The records, in double precision.
        """
        is_list = order.num_lists == 1
        item, better, compared = tally(order, ignore_noise=is_list)
        k, n, num_points = better.double(), compared.double(), order.num_points
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
        start = -torch.special.ndtri(distinct)
        variance = variance / density.square()
        if is_list:
            variance = variance + _known_variance(order, start[level])
        return cls(item, level, start, variance, share * num_points - 0.5, num_points)

    def subset(self, index: Tensor) -> Self:
        """The same ranking of some of the records.

        Args:
            index: Indices of the records, without repetition.

        Returns:
            The ranking among them; ``better`` still counts all points.
        """
        levels, level = self.level[index].unique(return_inverse=True)
        return type(self)(
            item=self.item[index],
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
            item=self.item.to(device),
            level=self.level.to(device),
            start=self.start.to(device),
            variance=self.variance.to(device),
            better=self.better.to(device),
            num_points=self.num_points,
        )


def _known_variance(order: Order, utility: Tensor) -> Tensor:
    """Variances of the scores of one list, carried over to a guess of the utilities.

    The guess is interpolated between the scores. Of the distances up and down to the utilities one
    standard deviation away the larger counts, because beyond the ends of the list nothing is known.

    Args:
        order: An order of one list, whose entries are the records in their order.
        utility: The guess, rising with the score, of shape ``m``.

    Returns:
        A tensor of shape ``m``; zero for exact scores and for failures.
    """
    known = (order.variance > 0) & order.score.isfinite()
    spread = torch.zeros_like(utility)
    if not bool(known.any()):
        return spread
    finite = order.score.isfinite()
    knots, first = order.score[finite].double().unique(return_inverse=True)
    values = torch.empty_like(knots).index_copy_(0, first, utility[finite])
    score, deviation = order.score[known].double(), order.variance[known].double().sqrt()
    reach = [
        (_interpolate(score + sign * deviation, knots, values) - utility[known]).abs()
        for sign in (-1.0, 1.0)
    ]
    spread[known] = torch.maximum(*reach).square()
    return spread


def _interpolate(x: Tensor, knots: Tensor, values: Tensor) -> Tensor:
    """Piecewise linear, constant beyond the ends; knots rise."""
    if len(knots) == 1:
        return values.expand_as(x)
    right = torch.searchsorted(knots, x).clamp(1, len(knots) - 1)
    low, high = knots[right - 1], knots[right]
    share = ((x - low) / (high - low)).clamp(0.0, 1.0)
    return values[right - 1].lerp(values[right], share)
