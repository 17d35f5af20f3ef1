"""The records of a target and its sources that stand for all of them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Self

import torch
from torch import Tensor

from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.settings import ModelSettings


class Subset:
    """Which records of a target, and of its sources, the law is conditioned on.

    Args:
        target: All records of the target.
        sources: All records of each source.
        settings: How many stand for all.

    Attributes:
        joint: All records of the target, then those of the sources that stand for all.
        index: Which of these stand for all, in rising order.
    """

    def __init__(
        self, target: Observations, sources: Sequence[Observations], settings: ModelSettings
    ) -> None:
        self.target, self.sources, self._settings = target, sources, settings
        self.joint, first_item = target, target.num_points
        for number, source in enumerate(sources, 1):
            # The cost is bounded for all sources together, but a single record has no order.
            share = subset_of(source, max(2, settings.num_of_sources // len(sources)))
            self.joint = self.joint.join(source.subset(share), number, first_item)
            first_item += source.num_points
        self.index = subset_of(self.joint, settings.num_conditioned)

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
        sources = [source.to(device) for source in self.sources]
        return type(self)(self.target.to(device), sources, self._settings)

    def among(self, is_eligible: Tensor) -> Observations:
        """Those that stand for some points of the target.

        Args:
            is_eligible: Which points, a mask.
        """
        index = is_eligible.to(self.target.item.device)[self.target.item].nonzero().squeeze(-1)
        eligible = self.target.subset(index)
        return eligible.subset(subset_of(eligible, self._settings.num_conditioned))


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
    return torch.cat([order[torch.cat([best, spaced])].sort()[0], of_sources])
