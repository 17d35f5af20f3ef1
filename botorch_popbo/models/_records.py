"""An order as ranked records, and how far each record can be trusted."""

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.data._tally import tally
from botorch_popbo.data.order import Order
from botorch_popbo.data.rank_counts import insert_counts
from botorch_popbo.likelihoods.relations import Relations
from botorch_popbo.models._answers import answers_of, between
from botorch_popbo.models._forest import neighbours


@dataclass(frozen=True)
class Records:
    """Points of each task of an order, ranked among each other.

    A task of one list is a ranking, in which every record has its place. A task of several lists
    holds answers, which may contradict each other: its records are known by the answers only.

    Attributes:
        item: Which point each record is about, of shape ``m``.
        task: Which task each record is of, of shape ``m``.
        counts: Numbers of better points among those that each record met, of shape ``m``.
        exposure: Numbers of points that each record met, of shape ``m``.
        is_judged: Whether a record is known by answers, of shape ``m``.
        known_variance: Known variance of each record's utility, of shape ``m``.
        num_points: Number of evaluated points.
        level: Position of each record among the distinct ranks of all tasks, from 0 for the best of
            the first one, of shape ``m``.
        start: A guess of each record's utility, of shape ``m``.
        answers: What is known of judged records.
        source: Which source each record is from, counted from 1, and 0 for the target; ``m``.
    """

    item: Tensor
    task: Tensor
    counts: Tensor
    exposure: Tensor
    is_judged: Tensor
    known_variance: Tensor
    num_points: int
    level: Tensor
    start: Tensor
    answers: Relations
    source: Tensor

    @classmethod
    def from_order(cls, order: Order) -> Self:
        """Rank the points of every task.

        A known variance of a score counts by how far one deviation reaches.

        Args:
            order: The order.

        Returns:
            The records, in double precision.
        """
        if not order.num_lists:
            return cls._alone(order)
        tallied = tally(order, ignore_noise=True)
        task, is_judged = tallied.task, _is_judged(order)[tallied.task]
        records = cls._ranked(
            item=tallied.item,
            task=task,
            counts=tallied.better,
            exposure=tallied.compared,
            is_judged=is_judged,
            known_variance=torch.zeros_like(tallied.better).double(),
            num_points=order.num_points,
            answers=answers_of(order, tallied, is_judged),
        )
        known = torch.zeros_like(records.start)
        for index in task[~is_judged].unique():
            own, entries = task == index, (order.task_index == index).nonzero().squeeze(-1)
            entries = entries[order.item[entries].argsort()]
            known[own] = _known_variance(
                order.score[entries], order.variance[entries], records.start[own]
            )
        return replace(records, known_variance=known)

    @classmethod
    def _alone(cls, order: Order) -> Self:
        """Points that have met none, each a task of its own."""
        item = torch.arange(order.num_points, device=order.X.device)
        never = torch.zeros_like(item, dtype=torch.double)
        return cls._ranked(
            item=item,
            task=item,
            counts=never,
            exposure=never,
            is_judged=never.bool(),
            known_variance=never,
            num_points=order.num_points,
            answers=Relations.judged(item[:0], item[:0]),
        )

    @classmethod
    def _ranked(
        cls,
        item: Tensor,
        task: Tensor,
        counts: Tensor,
        exposure: Tensor,
        is_judged: Tensor,
        known_variance: Tensor,
        num_points: int,
        answers: Relations,
    ) -> Self:
        """Rank the records of each task by their shares of better points."""
        k, n = counts.double(), exposure.double()
        share = (k + 0.5) / (n + 1.0)
        return cls(
            item=item,
            task=task,
            counts=k,
            exposure=n,
            is_judged=is_judged,
            known_variance=known_variance,
            num_points=num_points,
            level=distinct_rows(task, share).inverse,
            # The scale of the utilities is that of a standard normal variable.
            start=-torch.special.ndtri(share),
            answers=answers,
            source=torch.zeros_like(item),
        )

    @cached_property
    def relations(self) -> Relations:
        """All that the order says of pairs of records."""
        ranked = (~self.is_judged).nonzero().squeeze(-1)
        if not len(ranked):
            return self.answers
        level = self.level[ranked].unique(return_inverse=True)[1]
        forest = neighbours(level, self.task[ranked])
        places = replace(forest, better=ranked[forest.better], worse=ranked[forest.worse])
        return places.join(self.answers) if len(self.answers) else places

    @property
    def better(self) -> Tensor:
        """Number of evaluated points that are better than each record, of shape ``m``."""
        return (self.counts + 0.5) / (self.exposure + 1.0) * self.num_points - 0.5

    @property
    def is_target(self) -> Tensor:
        """Which records are of the target, not of a source, of shape ``m``."""
        return self.source == 0

    @property
    def log_chance(self) -> float:
        """Log-probability of the order if all orders of the records were equally likely."""
        sizes = self.level[~self.is_judged].bincount().double()
        lists = self.task[~self.is_judged].bincount().double()
        ranked = torch.lgamma(sizes + 1.0).sum() - torch.lgamma(lists + 1.0).sum()
        return float(ranked - math.log(2.0) * self.answers.answers.sum())

    def __len__(self) -> int:
        return len(self.item)

    def join(self, other: Self, source: int, first_item: int) -> Self:
        """Put the records of a source behind these, as tasks of its own.

        Args:
            other: The records of the source.
            source: Its number, from 1.
            first_item: Item of the first point of the source among all points.

        Returns:
            All records.
        """
        shift = len(self.item)
        moved = replace(
            other,
            item=other.item + first_item,
            task=other.task + int(self.task.max()) + 1,
            level=other.level + int(self.level.max()) + 1,
            answers=replace(
                other.answers,
                better=other.answers.better + shift,
                worse=other.answers.worse + shift,
            ),
            source=torch.full_like(other.source, source),
        )
        joined: dict[str, Any] = {
            field.name: torch.cat([getattr(self, field.name), getattr(moved, field.name)])
            for field in fields(self)
            if field.name not in ("num_points", "answers")
        }
        return replace(self, **joined, answers=self.answers.join(moved.answers))

    def insert(self, predicted: Tensor, utility: Tensor) -> Self:
        """Add points at predicted ranks, as if they had been evaluated.

        Args:
            predicted: Predicted counts of the ``p`` points among the known ones.
            utility: Expected utilities of the known records, then of the new ones, of shape
                ``m + p``; among answers a new point comes between its neighbours.

        Returns:
            The records of known points, then of the new ones, whose items follow the known ones
            and whose task is the last.
        """
        number, total = len(predicted), self.num_points
        new_items = torch.arange(total, total + number, device=self.item.device)
        own = self.task == self.task.max()
        is_judged = bool(self.is_judged[own][0])
        counts, exposure = insert_counts(
            self.counts[own], self.exposure[own], int(own.sum()), predicted.double()
        )
        known_counts, new_counts = counts.split([len(counts) - number, number])
        known_exposure, new_exposure = exposure.split([len(counts) - number, number])
        # What is expected among the worst, of which nothing more is known, is one of them.
        new_counts = new_counts.where(predicted <= self.counts[own].max(), known_counts.max())
        answers = self.answers
        if is_judged:
            answers = answers.join(between(utility, own, number))
        return self._ranked(
            item=torch.cat([self.item, new_items]),
            task=torch.cat([self.task, self.task.max().expand(number)]),
            counts=torch.cat([self.counts.masked_scatter(own, known_counts), new_counts]),
            exposure=torch.cat([self.exposure.masked_scatter(own, known_exposure), new_exposure]),
            is_judged=torch.cat([self.is_judged, self.is_judged.new_full((number,), is_judged)]),
            known_variance=torch.cat([self.known_variance, utility.new_zeros(number)]),
            num_points=total + number,
            answers=answers,
        )

    def subset(self, index: Tensor) -> Self:
        """The same ranking of some of the records.

        Args:
            index: Indices of the records, without repetition.

        Returns:
            The ranking among them; counts still are those among all points.
        """
        return replace(
            self,
            item=self.item[index],
            task=self.task[index],
            counts=self.counts[index],
            exposure=self.exposure[index],
            is_judged=self.is_judged[index],
            known_variance=self.known_variance[index],
            level=self.level[index].unique(return_inverse=True)[1],
            start=self.start[index],
            answers=self.answers.among(index, len(self.item)),
            source=self.source[index],
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


def _is_judged(order: Order) -> Tensor:
    """Which tasks have several lists."""
    lists = distinct_rows(order.task_index, order.list_index)
    return order.task_index[lists.rows].bincount() > 1


def _known_variance(score: Tensor, variance: Tensor, utility: Tensor) -> Tensor:
    """Variances of the scores of one list, carried over to a guess of the utilities.

    The guess is interpolated between the scores. Of the distances up and down to the utilities one
    standard deviation away the larger counts, because beyond the ends of the list nothing is known.

    Args:
        score: Scores, of shape ``m``.
        variance: Their variances, of shape ``m``.
        utility: The guess, rising with the score, of shape ``m``.

    Returns:
        A tensor of shape ``m``; zero for exact scores and for failures.
    """
    finite = score.isfinite()
    known = (variance > 0) & finite
    spread = torch.zeros_like(utility)
    if not bool(known.any()):
        return spread
    knots, first = score[finite].double().unique(return_inverse=True)
    values = torch.empty_like(knots).index_copy_(0, first, utility[finite])
    score, deviation = score[known].double(), variance[known].double().sqrt()
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
