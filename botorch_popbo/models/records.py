"""Points of an order as records: where each is ranked, and what is said of pairs of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import torch
from torch import Tensor

from botorch_popbo.data._rows import DistinctRows, distinct_rows
from botorch_popbo.data.order import Order
from botorch_popbo.data.rank_counts import count_better
from botorch_popbo.likelihoods.statements import Statements


@dataclass(frozen=True)
class Records:
    """Points of each task of an order, ranked among each other.

    A task of one list is a ranking, in which every record has its place. A task of several lists
    holds answers, which may contradict each other: its records are known by the answers only.

    Attributes:
        item: Which point each record is about, of shape ``m``.
        task: Which task each record is of, of shape ``m``.
        source: Which source each record is from, counted from 1, and 0 for the target; ``m``.
        share: Share of better points among those that each record met, of shape ``m``; between
            those of a first and a last place, never 0 or 1.
        exposure: Numbers of points that each record met, of shape ``m``.
        is_judged: Whether a record is known by answers, of shape ``m``.
        known_variance: Known variance of each record's utility, of shape ``m``.
        outcome: How good each record was, in some unit of distance, of shape ``m``; NaN where only
            its place is known.
        num_points: Number of evaluated points.
        answers: What is said of judged records.
    """

    item: Tensor
    task: Tensor
    source: Tensor
    share: Tensor
    exposure: Tensor
    is_judged: Tensor
    known_variance: Tensor
    outcome: Tensor
    num_points: int
    answers: Statements

    @classmethod
    def from_order(cls, order: Order, order_only: bool = False) -> Self:
        """Rank the points of every task.

        Args:
            order: The order.
            order_only: Whether outcomes are known by their places alone.

        Returns:
            The records, in double precision.
        """
        # A task of several lists may contradict itself, so it is a judge's.
        judged = order.task_of_list.bincount() > 1
        # Of outcomes the order is what is learned from. Of answers a tie is half a loss.
        better, met = count_better(order, noisy=judged)
        item, task = order.item[order.ranked.rows], order.task_index[order.ranked.rows]
        if not order.num_lists:  # points that have met none, each a task of its own
            item = task = torch.arange(order.num_points, device=order.X.device)
            better = met = torch.zeros_like(item, dtype=torch.double)
            judged = torch.zeros_like(item, dtype=torch.bool)
        better, met = better.double(), met.double()
        records = cls(
            item=item,
            task=task,
            source=torch.zeros_like(item),
            # The middle of a place: the normal score of the first and of the last is finite.
            share=(better + 0.5) / (met + 1.0),
            exposure=met,
            is_judged=judged[task],
            known_variance=torch.zeros_like(better),
            outcome=torch.full_like(better, torch.nan),
            num_points=order.num_points,
            answers=answers_of(order, judged),
        )
        for index in (~judged).nonzero().squeeze(-1):
            entry = (order.task_index == index).nonzero().squeeze(-1)
            row = order.ranked.inverse[entry]
            known = _known_variance(order.score[entry], order.variance[entry], records.start[row])
            records.known_variance[row] = known
        # Of several lists each has a unit of its own.
        if order.num_lists == 1 and bool(order.is_measured.all()) and not order_only:
            records.outcome[order.ranked.inverse] = order.score.double()
            records.outcome[:] = _in_unit_of(records.start, records.outcome)
        return records

    @cached_property
    def places(self) -> DistinctRows:
        """The distinct ranks of all tasks, from the best of the first one."""
        return distinct_rows(self.task, self.share)

    @property
    def level(self) -> Tensor:
        """Position of each record among these, of shape ``m``."""
        return self.places.inverse

    @property
    def start(self) -> Tensor:
        """A guess of each record's utility, on the scale of a standard normal one; ``m``."""
        return -torch.special.ndtri(self.share)

    @cached_property
    def statements(self) -> Statements:
        """All that the order says of pairs of records."""
        ranked = (~self.is_judged).nonzero().squeeze(-1)
        # Anew in each subset: where a record is left out, its neighbours are each other's.
        places = distinct_rows(self.task[ranked], self.share[ranked])
        certain = neighbours(places, self.task[ranked], self.outcome[ranked].isfinite())
        certain = certain.renumbered(ranked)
        return certain.join(self.answers) if len(self.answers) else certain

    @property
    def better(self) -> Tensor:
        """Number of evaluated points that are better than each record, of shape ``m``."""
        return self.share * self.num_points - 0.5

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
        return float(ranked - math.log(2.0) * len(self.answers))

    def __len__(self) -> int:
        return len(self.item)

    def with_sources(self, sources: Sequence[Self], number: int) -> Self:
        """Put records of sources behind these, as tasks of their own.

        Args:
            sources: The records of each source.
            number: Number of records that all of them share.

        Returns:
            All records.
        """
        joined, first_item = self, self.num_points
        for place, source in enumerate(sources, 1):
            # A single record has no order.
            chosen = source.representatives(max(2, number // len(sources)))
            joined = joined.join(source.subset(chosen), place, first_item)
            first_item += source.num_points
        return joined

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
        pairs = ([getattr(self, name), getattr(moved, name)] for name in _COLUMNS)
        columns: dict[str, Any] = dict(zip(_COLUMNS, map(torch.cat, pairs), strict=True))
        return replace(self, **columns, answers=self.answers.join(moved.answers))

    def subset(self, index: Tensor) -> Self:
        """The same ranking of some of the records.

        Args:
            index: Indices of the records, without repetition.

        Returns:
            The ranking among them; shares still are those among all points.
        """
        # What was found for the whole, such as its statements, stays.
        if len(index) == len(self) and bool((index.diff() > 0).all()):
            return self
        columns = {name: getattr(self, name)[index] for name in _COLUMNS}
        return replace(self, **columns, answers=self.answers.among(index, len(self)))

    def representatives(self, number: int) -> Tensor:
        """Indices of records that stand for all: the best half, and others evenly spaced in rank.

        If all are known by answers, the others are those that the best half met, as far as there
        are enough: an answer says nothing where one of its two records is left out.

        Args:
            number: Number of the target's at most; those of sources are all among them.

        Returns:
            The indices, in rising order.
        """
        target = self.is_target.nonzero().squeeze(-1)
        if len(target) <= number:
            return torch.arange(len(self), device=target.device)
        left = (number + 1) // 2
        # Equals are in the order of their coordinates: mixed, some of everywhere are kept.
        target = target[torch.randperm(len(target), generator=torch.Generator().manual_seed(0))]
        order = target[self.share[target].argsort(stable=True)]
        # A search cares for the best, and their ranks need the others as a scale.
        best, others = order.tensor_split([number - left])
        if bool(self.is_judged[target].all()):
            ends = torch.stack([self.answers.better, self.answers.worse])
            has_met = torch.isin(others, ends[:, torch.isin(ends, best).any(0)])
            others = torch.cat([others[has_met], others[~has_met]])[: max(left, int(has_met.sum()))]
        steps = torch.arange(left, device=order.device)
        spaced = others[steps * (len(others) - 1) // max(left - 1, 1)]
        of_sources = (~self.is_target).nonzero().squeeze(-1)
        return torch.cat([torch.cat([best, spaced]).sort()[0], of_sources])

    def to(self, device: torch.device) -> Self:
        """The same ranking on another device."""
        columns = {name: getattr(self, name).to(device) for name in _COLUMNS}
        return replace(self, **columns, answers=self.answers.to(device))


_COLUMNS = tuple(f.name for f in fields(Records) if f.name not in ("num_points", "answers"))


def neighbours(places: DistinctRows, group: Tensor, ties: Tensor) -> Statements:
    """Relate each entry of rankings to its neighbours.

    One entry of every level leads it, and the leaders form a chain. Of the others all that is known
    is that they lie between the leaders of the next better and the next worse level, as rounding
    makes outcomes tie, too. Those at an open end hang on the next level: ties at the best may hide
    what is better still, and the worst, failed runs among them, are worse by any amount. Where
    outcomes say how far apart others are, those that tie for the best are equals: else a plateau
    would look like a slope.

    Args:
        places: Levels of ``m`` entries, best first and those of one ranking together.
        group: Which ranking each entry is in, of shape ``m``.
        ties: Which entries are equal to others of their level, of shape ``m``.

    Returns:
        Certain statements; none in a ranking of one level.
    """
    leader, level, _ = places
    entry = torch.arange(len(level), device=level.device)
    opens, closes = _ends_of_lists(group[leader])
    if len(leader) == len(level):  # nothing is tied
        follows = ~opens[1:]
        return Statements.certain(leader[:-1][follows], leader[1:][follows])
    above, below = leader.roll(1)[level], leader.roll(-1)[level]
    leads = entry == leader[level]
    equal = ~leads & ties & (opens & ~closes)[level]
    # The leaders' chain goes down; the others are below what is above them, and the reverse.
    under = ~equal & ~opens[level]
    over = ~equal & ~leads & ~closes[level]
    better, worse = torch.cat([above[under], entry[over]]), torch.cat([entry[under], below[over]])
    pairs = Statements.certain(better, worse)
    return pairs.join(Statements.certain(leader[level][equal], entry[equal], is_tie=True))


def answers_of(order: Order, judged: Tensor) -> Statements:
    """What lists say of pairs of records.

    A list of more than two is taken for answers about neighbours, and a best one for an answer
    against each of the others. The noise of an answer is that of its judge.

    Args:
        order: The order.
        judged: Which tasks are known by answers, a mask.

    Returns:
        The answers; none if there is no such task.
    """
    level, leader = order.places.inverse, order.places.rows
    entry = torch.arange(len(level), device=level.device)
    is_judged = judged[order.task_index]
    _, is_best = _ends_of_lists(order.list_index[leader])  # of its list, whose scores rise
    loses = is_judged & ~is_best[level]
    draws = is_judged & (entry != leader[level]) & ~order.is_censored
    # Against one of the next better level, as in a ranking: the list does not say more.
    winner, drawn = leader.roll(-1)[level][loses], leader[level][draws]
    row, noise = order.ranked.inverse, order.judge_noise.double()
    won = Statements.answers(row[winner], row[entry[loses]], noise[loses])
    return won.join(Statements.answers(row[drawn], row[entry[draws]], is_tie=True))


def interpolate(x: Tensor, knots: Tensor, values: Tensor) -> Tensor:
    """Piecewise linear, and beyond the ends as the last step continues.

    Args:
        x: Where, of shape ``K``.
        knots: Rising, of shape ``J``.
        values: Values there, ``... x J``.

    Returns:
        A ``... x K`` tensor.
    """
    if len(knots) == 1:
        return values.expand(*values.shape[:-1], len(x))
    right = torch.searchsorted(knots, x).clamp(1, len(knots) - 1)
    low, high = knots[right - 1], knots[right]
    share = ((x - low) / (high - low)).to(values)
    return values[..., right - 1].lerp(values[..., right], share)


def resolution(points: Tensor, level: Tensor) -> float:
    """The distance up to which outcomes are equal, as far as they show it.

    A function with steps, such as the score of a decision tree, is flat for some way about each
    point. The largest distance of two equal outcomes that is less than that of any two different
    ones is one bound of it, and the least of these is the other. Half-way between their logarithms
    the next point halves what is not known.

    Args:
        points: Encoded points, an ``m x d'`` tensor.
        level: Which outcomes are equal, of shape ``m``.

    Returns:
        A distance, zero if it is not known.
    """
    distance = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    is_equal = level.unsqueeze(-1) == level
    different = distance[~is_equal]
    if not len(different):
        return 0.0
    least = different.min()
    largest = distance.where(is_equal & (distance < least), 0.0).max()
    return float((largest * least).sqrt())


def _in_unit_of(guess: Tensor, outcome: Tensor) -> Tensor:
    """Outcomes in units in which their median gap is as wide as that of guessed utilities.

    Failures, minus infinity, become NaN.
    """
    outcome = outcome.where(outcome.isfinite(), torch.nan)
    levels, inverse = outcome[outcome.isfinite()].unique(return_inverse=True)
    if len(levels) < 2:
        return torch.full_like(outcome, torch.nan)
    # Larger outcomes would overflow, and beside larger ones others would vanish.
    largest = levels.abs().max().clamp_max(1e150)
    at = torch.zeros_like(levels).index_copy(0, inverse, guess[outcome.isfinite()])
    ratio = (levels / largest).diff().log() - at.diff().log()
    return outcome / largest * torch.exp(-ratio.nanmedian())


def _known_variance(score: Tensor, variance: Tensor, utility: Tensor) -> Tensor:
    """Variances of the scores of one list, carried over to a guess of the utilities, ``m``.

    The guess is the scale on which a standard error has a length: it is interpolated between the
    scores. Of the distances up and down to the utilities one standard deviation away the larger
    counts, because beyond the ends of the list nothing is known. Exact scores and failures have
    none.
    """
    finite = score.isfinite()
    known = (variance > 0) & finite
    spread = torch.zeros_like(utility)
    if not bool(known.any()):
        return spread
    # A quarter, so that no difference overflows.
    score, deviation = score.double() / 4.0, variance[known].double().sqrt() / 4.0
    knots, first = score[finite].unique(return_inverse=True)
    values = torch.empty_like(knots).index_copy_(0, first, utility[finite])
    score = score[known]
    reach = [
        (interpolate(end.clamp(knots[0], knots[-1]), knots, values) - utility[known]).abs()
        for end in (score - deviation, score + deviation)
    ]
    spread[known] = torch.maximum(*reach).square()
    return spread


def _ends_of_lists(group: Tensor) -> tuple[Tensor, Tensor]:
    """Which levels are the best and the worst of their lists; those of one follow each other."""
    opens = torch.ones_like(group, dtype=torch.bool)
    opens[1:] = group[1:] != group[:-1]
    return opens, torch.cat([opens[1:], opens[:1]])
