"""Ranked records, and how far each can be trusted."""

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import torch
from torch import Tensor

from botorch_popbo.data._rows import DistinctRows, distinct_rows
from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.models._observations.pairs import neighbours


@dataclass(frozen=True)
class Observations:
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
        outcome: How good each record was, in some unit of distance, of shape ``m``; NaN where only
            its place is known.
        num_points: Number of evaluated points.
        tie: Deviation of the difference of two whose outcomes tie; zero if it is free.
        answers: What is known of judged records.
        source: Which source each record is from, counted from 1, and 0 for the target; ``m``.
    """

    item: Tensor
    task: Tensor
    counts: Tensor
    exposure: Tensor
    is_judged: Tensor
    known_variance: Tensor
    outcome: Tensor
    num_points: int
    tie: float
    answers: Comparisons
    source: Tensor

    @cached_property
    def places(self) -> DistinctRows:
        """The distinct ranks of all tasks, from the best of the first one."""
        return distinct_rows(self.task, self._share)

    @property
    def level(self) -> Tensor:
        """Position of each record among these, of shape ``m``."""
        return self.places.inverse

    @cached_property
    def start(self) -> Tensor:
        """A guess of each record's utility, on the scale of a standard normal one; ``m``."""
        return -torch.special.ndtri(self._share)

    @property
    def _share(self) -> Tensor:
        """Of better points, never none or all."""
        # The middle of a place, so that the normal score of the first and of the last is finite.
        return (self.counts + 0.5) / (self.exposure + 1.0)

    @cached_property
    def comparisons(self) -> Comparisons:
        """All that the order says of pairs of records."""
        ranked = (~self.is_judged).nonzero().squeeze(-1)
        if not len(ranked):
            return self.answers
        # Anew in each subset: where a record is left out, its neighbours are each other's.
        places = distinct_rows(self.task[ranked], self._share[ranked])
        tie = self.tie * self.outcome[ranked].isfinite()
        forest = neighbours(places, self.task[ranked], tie).renumbered(ranked)
        return forest.join(self.answers) if len(self.answers) else forest

    @property
    def better(self) -> Tensor:
        """Number of evaluated points that are better than each record, of shape ``m``."""
        return self._share * self.num_points - 0.5

    @property
    def is_target(self) -> Tensor:
        """Which records are of the target, not of a source, of shape ``m``."""
        return self.source == 0

    @property
    def log_chance(self) -> float:
        """Log-probability of the order if all orders of the records were equally likely."""
        sizes = self.level[~self.is_judged].bincount().double()
        lists = self.task[~self.is_judged].bincount().double()
        # Of a ranking with ties, as many orders as there are ways to break them.
        ranked = torch.lgamma(sizes + 1.0).sum() - torch.lgamma(lists + 1.0).sum()
        # An answer at random is right as often as not.
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
        behind = torch.arange(len(other), device=self.item.device) + len(self)
        moved = replace(
            other,
            item=other.item + first_item,
            # Its own task: a source may have another unit, and its ranks say nothing of the target.
            task=other.task + int(self.task.max()) + 1,
            source=torch.full_like(other.source, source),
            outcome=torch.full_like(other.outcome, torch.nan),  # in a unit of its own
            answers=other.answers.renumbered(behind),
        )
        columns: dict[str, Any] = {
            name: torch.cat([getattr(self, name), getattr(moved, name)]) for name in _COLUMNS
        }
        return replace(self, **columns, answers=self.answers.join(moved.answers))

    def subset(self, index: Tensor) -> Self:
        """The same ranking of some of the records.

        Args:
            index: Indices of the records, without repetition.

        Returns:
            The ranking among them; counts still are those among all points.
        """
        # What was found for the whole, such as its comparisons, stays.
        if len(index) == len(self) and bool((index.diff() > 0).all()):
            return self
        columns = {name: getattr(self, name)[index] for name in _COLUMNS}
        return replace(self, **columns, answers=self.answers.among(index, len(self)))

    def to(self, device: torch.device) -> Self:
        """The same ranking on another device."""
        columns = {name: getattr(self, name).to(device) for name in _COLUMNS}
        return replace(self, **columns, answers=self.answers.to(device))


_COLUMNS = tuple(
    f.name for f in fields(Observations) if f.name not in ("num_points", "tie", "answers")
)
