"""What an order says of pairs of records."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Self

import torch
from torch import Tensor


@dataclass(frozen=True)
class Comparisons:
    """Pairs of records of which one is better, or which are equals.

    Attributes:
        better: Index of the better record of each pair, of shape ``M``.
        worse: Index of the other one, of shape ``M``.
        answers: How many judges of some noise said so, of shape ``M``; zero where it is certain.
        other_side: Position of the comparison that bounds the same record from the other side, of
            shape ``M``; its own where there is none. All certain ones but one side of each such
            interval form a forest.
        weight: What a certain comparison counts among others that say nearly the same, at most one,
            of shape ``M``; see :mod:`botorch_popbo.likelihoods.weights`.
        noise: Variance of an answer by how much more its judge errs than others, of shape ``M``.
        tie: Deviation of the difference of a pair of equals, of shape ``M``; zero of all others.
    """

    better: Tensor
    worse: Tensor
    answers: Tensor
    other_side: Tensor
    weight: Tensor
    noise: Tensor
    tie: Tensor

    @classmethod
    def strict(cls, better: Tensor, worse: Tensor) -> Self:
        """Certain ones."""
        position = torch.arange(len(better), device=better.device)
        never = torch.zeros_like(better, dtype=torch.double)
        once = torch.ones_like(never)
        return cls(better, worse, never, position, once, once, never)

    @classmethod
    def equal(cls, one: Tensor, other: Tensor, tie: Tensor) -> Self:
        """Pairs of equals."""
        return replace(cls.strict(one, other), tie=tie)

    @classmethod
    def judged(
        cls, better: Tensor, worse: Tensor, answers: Tensor | float = 1, noise: Tensor | float = 1
    ) -> Self:
        """Answers of judges, once each by default, and of one noise."""
        strict = cls.strict(better, worse)
        once = strict.weight
        return replace(strict, answers=once * answers, noise=once * noise)

    @classmethod
    def between(cls, above: Tensor, record: Tensor, below: Tensor) -> Self:
        """Observations between two others."""
        number = len(record)
        sides = cls.strict(torch.cat([above, record]), torch.cat([record, below]))
        position = sides.other_side.roll(number)
        return replace(sides, other_side=position)

    @cached_property
    def is_answer(self) -> Tensor:
        """Whether a pair is known by answers alone, of shape ``M``."""
        return self.answers > 0

    @cached_property
    def has_answers(self) -> bool:
        """Whether any is."""
        return bool(self.is_answer.any())

    @cached_property
    def is_equal(self) -> Tensor:
        """Whether the two of a pair are equals, of shape ``M``."""
        return self.tie > 0

    @cached_property
    def is_strict(self) -> Tensor:
        """Whether one of a pair is better for certain, of shape ``M``."""
        return ~(self.is_answer | self.is_equal)

    @cached_property
    def intervals(self) -> tuple[Tensor, Tensor]:
        """Positions of the upper and of the lower sides of ``p`` intervals, each ``p``."""
        position = torch.arange(len(self), device=self.other_side.device)
        upper = (self.other_side > position).nonzero().squeeze(-1)
        return upper, self.other_side[upper]

    @cached_property
    def is_side(self) -> Tensor:
        """Whether a pair is one side of an interval, of shape ``M``."""
        sides = torch.cat(self.intervals)
        return torch.zeros_like(self.is_answer).index_fill(0, sides, True)

    @cached_property
    def path(self) -> Tensor | None:
        """The records from the best to the worst, if each comparison goes on where one ends."""
        if not len(self) or bool((self.worse[:-1] != self.better[1:]).any()):
            return None
        return torch.cat([self.better, self.worse[-1:]])

    @cached_property
    def forest_and_rest(self) -> tuple[Tensor, Tensor]:
        """Positions of ``n`` comparisons that connect all that is connected, and of the others."""
        position = torch.arange(len(self), device=self.better.device)
        if not (self.has_answers or len(self.intervals[0])):
            return position, position[:0]
        above: dict[int, int] = {}  # of each record but the first of its tree

        def first_of(record: int) -> int:
            while record in above:
                record = above[record]
            return record

        is_kept = torch.zeros_like(self.is_answer)
        for k, pair in enumerate(torch.stack([self.better, self.worse], dim=-1).tolist()):
            better, worse = map(first_of, pair)
            if better != worse:  # otherwise it closes a cycle
                above[worse] = better
                is_kept[k] = True
        return position[is_kept], position[~is_kept]

    @cached_property
    def forest(self) -> Self:
        """The first of these alone."""
        kept, rest = self.forest_and_rest
        if not len(rest):
            return self
        strict = self.strict(self.better[kept], self.worse[kept])
        answers, noise, tie = self.answers[kept], self.noise[kept], self.tie[kept]
        return replace(strict, answers=answers, noise=noise, tie=tie)

    @cached_property
    def paths(self) -> Tensor:
        """``C``: all differences as sums of those in the forest, ``M x n``."""
        number = 1 + int(torch.stack([self.better, self.worse]).max())
        records = torch.eye(number, device=self.better.device).to(self.weight)
        forest, every = self.forest.differences(records), self.differences(records)
        # A path goes along each comparison once, back or forth, or not at all: rounding is exact.
        return torch.linalg.solve(forest @ forest.T, forest @ every.T).round().T.contiguous()

    def __len__(self) -> int:
        return len(self.better)

    def differences(self, values: Tensor) -> Tensor:
        """``D`` times a tensor of shape ``N x ...``."""
        if self.path is not None:  # half of the memory to read, in the inner loop of a fit
            along = values.index_select(0, self.path)
            return along[:-1] - along[1:]
        return values[self.better] - values[self.worse]

    def scatter(self, values: Tensor, num_records: int) -> Tensor:
        """The transpose of ``D`` times a tensor of shape ``M x ...``."""
        summed = values.new_zeros(num_records, *values.shape[1:])
        return summed.index_add_(0, self.better, values).index_add_(
            0, self.worse, values, alpha=-1.0
        )

    def covariance(self, matrix: Tensor) -> Tensor:
        """``D K D'`` of an ``N x N`` tensor, ``M x M``."""
        return self.differences(self.differences(matrix).T)

    def join(self, other: Self) -> Self:
        """These pairs and others of the same records."""
        behind = replace(other, other_side=other.other_side + len(self))
        columns = [(getattr(self, f.name), getattr(behind, f.name)) for f in fields(self)]
        return type(self)(*map(torch.cat, columns))

    def renumbered(self, index: Tensor) -> Self:
        """The same of other records: ``index`` names the one in the place of each."""
        return replace(self, better=index[self.better], worse=index[self.worse])

    def among(self, index: Tensor, num_records: int) -> Self:
        """Answers about some of the records, in their new positions.

        Args:
            index: Indices of the records, without repetition.
            num_records: Number of all records.

        Returns:
            The answers of which both records are left.
        """
        position = torch.full((num_records,), -1, device=index.device)
        position[index] = torch.arange(len(index), device=index.device)
        better, worse = position[self.better], position[self.worse]
        left = (better >= 0) & (worse >= 0)
        return self.judged(better[left], worse[left], self.answers[left], self.noise[left])

    def to(self, device: torch.device) -> Self:
        """The same pairs on another device."""
        return type(self)(*(getattr(self, field.name).to(device) for field in fields(self)))
