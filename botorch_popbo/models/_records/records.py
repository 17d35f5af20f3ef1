"""Ranked records, and how far each can be trusted."""

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows
from botorch_popbo.likelihoods.relations import Relations
from botorch_popbo.models._records.forest import neighbours


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
    def ranked(
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

    def subset(self, index: Tensor) -> Self:
        """The same ranking of some of the records.

        Args:
            index: Indices of the records, without repetition.

        Returns:
            The ranking among them; counts still are those among all points.
        """
        if len(index) == len(self) and bool((index.diff() > 0).all()):
            return self
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
