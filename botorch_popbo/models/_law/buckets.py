"""Equally good points as one bucket: where among them the rank of a new point can change."""

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from botorch_popbo.data._rows import distinct_rows, lexicographic_order
from botorch_popbo.models._records.records import Records


@dataclass(frozen=True)
class Buckets:
    """All evaluated points in buckets, and the records by which they are known.

    Attributes:
        size: Number of points in each bucket, best first, of shape ``K``.
        place: Position of each known bucket among them, rising, of shape ``J``.
        record: The worst record of each known bucket, of shape ``J``.
    """

    size: Tensor
    place: Tensor
    record: Tensor

    @classmethod
    def from_records(cls, records: Records, used: Tensor, utilities: Tensor) -> Self:
        """Sort all points into buckets.

        Those of one ranking are its distinct ranks. Where answers or several tasks leave no such
        ranking, the points are ranked by their utilities, and those without one come evenly between
        the others. Of a point with several records the one with the least noise counts.

        Args:
            records: All records.
            used: Indices of those whose utilities are known, of shape ``n``.
            utilities: Utilities of these, of shape ``n``.

        Returns:
            The buckets.
        """
        are_censored = bool((records.exposure != records.exposure[0]).any())  # among each other
        if are_censored or bool(records.is_judged.any()) or bool((records.task > 0).any()):
            # An answer is about the point itself, an outcome has noise of its own.
            exactest = lexicographic_order(~records.is_judged[used], records.known_variance[used])
            first = exactest[_first_of(records.item[used][exactest])]
            record = first[utilities[first].argsort(descending=True, stable=True)]
            place = torch.arange(len(record), device=record.device)
            # Those without one come where they rank among the others.
            better = records.better.new_zeros(records.num_points).scatter_reduce(
                0, records.item, records.better, "mean", include_self=False
            )
            rank = better.argsort(stable=True).argsort()
            ends = rank[records.item[used[record]]].sort().values + 1
            ends[-1] = records.num_points
            return cls(ends.diff(prepend=ends.new_zeros(1)).to(utilities), place, record)
        size = records.level.bincount().to(utilities)
        by_utility = utilities.argsort(stable=True)
        level = records.level[used]
        record = by_utility[_first_of(level[by_utility])]
        return cls(size, level[record], record)

    def interpolate(self, known: Tensor) -> Tensor:
        """Values of all buckets from those of the known ones, by their places.

        Args:
            known: Values, ``... x J``.

        Returns:
            A ``... x K`` tensor.
        """
        number = len(self.place)
        if number in (1, len(self.size)):
            return known.expand(*known.shape[:-1], len(self.size))
        wanted = torch.arange(len(self.size), device=self.place.device)
        right = torch.searchsorted(self.place, wanted).clamp(1, number - 1)
        start, end = self.place[right - 1], self.place[right]
        # Beyond the ends of what is known the last step goes on.
        share = ((wanted - start) / (end - start)).to(known)
        return known[..., right - 1].lerp(known[..., right], share)


def _first_of(group: Tensor) -> Tensor:
    """Index of the first entry of each group, by ascending group."""
    return distinct_rows(group).rows
