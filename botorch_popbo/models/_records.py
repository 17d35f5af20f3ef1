"""An order as one ranking of records, and how far each record can be trusted."""

import math
from dataclasses import dataclass, fields, replace
from typing import Self

import torch
from torch import Tensor

from botorch_popbo.data._tally import tally
from botorch_popbo.data.order import Order
from botorch_popbo.data.rank_counts import insert_counts


@dataclass(frozen=True)
class Records:
    """Points of the tasks of an order, ranked among each other.

    Attributes:
        item: Which point each record is about, of shape ``m``.
        counts: Numbers of better points among those that each record met, of shape ``m``.
        exposure: Numbers of points that each record met, of shape ``m``.
        known_variance: Known variance of each record's utility, of shape ``m``.
        num_points: Number of evaluated points.
        level: Position of each record among the distinct ranks, from 0 for the best, of shape
            ``m``.
        start: A guess of the utilities of the distinct ranks, strictly falling, of shape ``L``.
        variance: Variance of each record's utility that the order leaves open, of shape ``m``.
    """

    item: Tensor
    counts: Tensor
    exposure: Tensor
    known_variance: Tensor
    num_points: int
    level: Tensor
    start: Tensor
    variance: Tensor

    @classmethod
    def from_order(cls, order: Order) -> Self:
        """Rank the points of all tasks.

        The places of one list are kept as they are. Points of several lists are ranked by their
        shares of better points. A known variance of a score counts by how far one deviation
        reaches.

        Args:
            order: The order.

        Returns:
            The records, in double precision.
        """
        is_list = order.num_lists == 1
        item, counts, exposure = tally(order, ignore_noise=is_list)
        exact = torch.zeros_like(counts).double()
        records = cls.from_counts(item, counts, exposure, exact, order.num_points)
        if not is_list:
            return records
        known = _known_variance(order, records.start[records.level])
        return replace(records, known_variance=known, variance=records.variance + known)

    @classmethod
    def from_counts(
        cls,
        item: Tensor,
        counts: Tensor,
        exposure: Tensor,
        known_variance: Tensor,
        num_points: int,
    ) -> Self:
        """Rank records by their shares of better points.

        A record that was compared with all others has an exact rank. One that was compared with
        ``n`` of them is a sample without replacement, whose variance carries the correction
        ``1 - n / (N - 1)``; records of the same rank share as many ranks as there are records.
        Not so the worst ones, failed runs among them: they would be as uncertain as their number is
        large, and reach above the others. How bad they are among themselves is of no interest, so
        they share two ranks; exact ties would be taken for a sign of a flat function.

        Args:
            item: See above, like all others.
            counts: See above.
            exposure: See above.
            known_variance: See above.
            num_points: See above.

        Returns:
            The records, in double precision.
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
            item=item,
            counts=k,
            exposure=n,
            known_variance=known_variance,
            num_points=num_points,
            level=level,
            start=-torch.special.ndtri(distinct),
            variance=variance / density.square() + known_variance,
        )

    @property
    def better(self) -> Tensor:
        """Number of evaluated points that are better than each record, of shape ``m``."""
        return (self.counts + 0.5) / (self.exposure + 1.0) * self.num_points - 0.5

    def insert(self, predicted: Tensor) -> Self:
        """Add points at predicted ranks, as if they had been evaluated.

        Args:
            predicted: Predicted counts of the ``p`` points among the known ones.

        Returns:
            The records of known points, then of the new ones, whose items follow the known ones.
        """
        number, total = len(predicted), self.num_points
        new_items = torch.arange(total, total + number, device=self.item.device)
        counts, exposure = insert_counts(self.counts, self.exposure, total, predicted.double())
        return self.from_counts(
            torch.cat([self.item, new_items]),
            counts,
            exposure,
            torch.cat([self.known_variance, self.known_variance.new_zeros(number)]),
            total + number,
        )

    def representatives(self, number: int) -> Tensor:
        """Indices of at most so many records: the best half, and others evenly spaced in rank.

        Args:
            number: Their number.

        Returns:
            The indices, in rising order.
        """
        order = self.better.argsort(stable=True)
        if len(order) <= number:
            return torch.arange(len(order), device=order.device)
        half = number // 2
        spaced = torch.linspace(half, len(order) - 1, number - half, device=order.device).long()
        best = torch.arange(half, device=order.device)
        chosen: Tensor = order[torch.cat([best, spaced])].sort()[0]
        return chosen

    def subset(self, index: Tensor) -> Self:
        """The same ranking of some of the records.

        Args:
            index: Indices of the records, without repetition.

        Returns:
            The ranking among them; counts still are those among all points.
        """
        levels, level = self.level[index].unique(return_inverse=True)
        return replace(
            self,
            item=self.item[index],
            counts=self.counts[index],
            exposure=self.exposure[index],
            known_variance=self.known_variance[index],
            level=level,
            start=self.start[levels],
            variance=self.variance[index],
        )

    def to(self, device: torch.device) -> Self:
        """The same ranking on another device."""
        if self.level.device == device:
            return self
        moved = {
            field.name: getattr(self, field.name).to(device)
            for field in fields(self)
            if field.name != "num_points"
        }
        return replace(self, **moved)


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
