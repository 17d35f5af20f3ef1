"""The records of a target and its sources that stand for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import torch
from torch import Tensor

from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.settings import ModelSettings


@dataclass(frozen=True)
class Subset:
    """Which records the law is conditioned on.

    Attributes:
        target: All records of the target.
        sources: All records of each source.
        joint: All records of the target, then those of the sources that stand for all.
        index: Which of these stand for all, in rising order.
        most: How many of the target's stand for all.
    """

    target: Observations
    sources: Sequence[Observations]
    joint: Observations
    index: Tensor
    most: int

    @classmethod
    def choose(
        cls, target: Observations, sources: Sequence[Observations], settings: ModelSettings
    ) -> Self:
        """Choose among the records of a target, and of its sources.

        Args:
            target: Observations of the target.
            sources: Observations of each source.
            settings: How many stand for all.

        Returns:
            The choice.
        """
        joint, first_item = target, target.num_points
        for number, source in enumerate(sources, 1):
            # The cost is bounded for all sources together, but a single record has no order.
            share = subset_of(source, max(2, settings.num_of_sources // len(sources)))
            joint = joint.join(source.subset(share), number, first_item)
            first_item += source.num_points
        most = settings.num_conditioned
        return cls(target, sources, joint, subset_of(joint, most), most)

    @cached_property
    def records(self) -> Observations:
        """Those that stand for all, the target's first."""
        return self.joint.subset(self.index)

    @cached_property
    def of_target(self) -> Observations:
        """Those of the target."""
        return self.records.subset(self.records.is_target.nonzero().squeeze(-1))

    def to(self, device: torch.device) -> Self:
        """The same choice on another device."""
        if self.index.device == device:
            return self
        target, joint = self.target.to(device), self.joint.to(device)
        sources = [source.to(device) for source in self.sources]
        index = self.index.to(device)
        return replace(self, target=target, sources=sources, joint=joint, index=index)

    def among(self, is_eligible: Tensor) -> Observations:
        """Those that stand for some points of the target.

        Args:
            is_eligible: Which points, a mask.
        """
        index = is_eligible.to(self.target.item.device)[self.target.item].nonzero().squeeze(-1)
        eligible = self.target.subset(index)
        return eligible.subset(subset_of(eligible, self.most))


def subset_of(records: Observations, number: int) -> Tensor:
    """Indices of at most so many records: the best half, and others evenly spaced in rank.

    Args:
        records: The records.
        number: Number of the target's; those of sources are all among them.

    Returns:
        The indices, in rising order.
    """
    own = records.is_target.nonzero().squeeze(-1)
    if len(own) <= number:
        return torch.arange(len(records), device=own.device)
    order = own[records.better[own].argsort(stable=True)]
    # A search cares for the best, and their ranks need the others as a scale.
    half = number // 2
    steps = torch.arange(number - half, device=order.device)
    spaced = half + steps * (len(order) - 1 - half) // max(number - half - 1, 1)
    best = torch.arange(half, device=order.device)
    of_sources = (~records.is_target).nonzero().squeeze(-1)
    chosen: Tensor = order[torch.cat([best, spaced])].sort()[0]
    return torch.cat([chosen, of_sources])
