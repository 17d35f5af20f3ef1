"""What an order says of pairs of records."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Self

import torch
from torch import Tensor


@dataclass(frozen=True)
class Statements:
    """Pairs of records of which one is better, or which tie.

    Attributes:
        better: Index of the better record of each pair, of shape ``M``.
        worse: Index of the other one, of shape ``M``.
        noise: Variance of an answer in units of the judges' common one, of shape ``M``; zero where
            a statement is certain.
        is_tie: Whether the two are equals, of shape ``M``.
    """

    better: Tensor
    worse: Tensor
    noise: Tensor
    is_tie: Tensor

    @classmethod
    def certain(cls, better: Tensor, worse: Tensor, is_tie: bool = False) -> Self:
        """Statements that are not in doubt."""
        zero = torch.zeros_like(better, dtype=torch.double)
        return cls(better, worse, zero, torch.full_like(better, is_tie, dtype=torch.bool))

    @classmethod
    def answers(
        cls, better: Tensor, worse: Tensor, noise: Tensor | float = 1.0, is_tie: bool = False
    ) -> Self:
        """Answers of judges, who may err."""
        certain = cls.certain(better, worse, is_tie)
        return replace(certain, noise=certain.noise + noise)

    @cached_property
    def is_answer(self) -> Tensor:
        """Whether a statement may be wrong, of shape ``M``."""
        return self.noise > 0.0

    @cached_property
    def is_strict(self) -> Tensor:
        """Whether one of a pair is better for certain, of shape ``M``."""
        return ~(self.is_answer | self.is_tie)

    def __len__(self) -> int:
        return len(self.better)

    def differences(self, values: Tensor) -> Tensor:
        """``D`` times a tensor of shape ``N x ...``."""
        return values.index_select(0, self.better) - values.index_select(0, self.worse)

    def scatter(self, values: Tensor, num_records: int) -> Tensor:
        """The transpose of ``D`` times a tensor of shape ``M x ...``."""
        ahead = values.new_zeros(num_records, *values.shape[1:]).index_add_(0, self.better, values)
        return ahead.index_add_(0, self.worse, values, alpha=-1.0)

    def join(self, other: Self) -> Self:
        """These statements and others about the same records."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return type(self)(*map(torch.cat, pairs))

    def subset(self, which: Tensor) -> Self:
        """Some of the statements, by indices or a mask."""
        return type(self)(*(getattr(self, f.name)[which] for f in fields(self)))

    def renumbered(self, index: Tensor) -> Self:
        """The same of other records: ``index`` names the one in the place of each."""
        return replace(self, better=index[self.better], worse=index[self.worse])

    def among(self, index: Tensor, num_records: int) -> Self:
        """Statements about some of the records alone, in their new positions.

        Args:
            index: Indices of the records, without repetition.
            num_records: Number of all records.

        Returns:
            The statements of which both records are left.
        """
        position = torch.full((num_records,), -1, device=index.device)
        position[index] = torch.arange(len(index), device=index.device)
        moved = self.renumbered(position)
        return moved.subset((moved.better >= 0) & (moved.worse >= 0))

    def to(self, device: torch.device) -> Self:
        """The same statements on another device."""
        return type(self)(*(getattr(self, field.name).to(device) for field in fields(self)))
