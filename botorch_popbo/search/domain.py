"""Where to search, for optimizers that know nothing but numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from botorch.optim.optimize_mixed import MAX_CARDINALITY_FOR_LOCAL_SEARCH
from torch import Tensor

from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Space


@dataclass(frozen=True)
class Domain:
    """Where to search, and how hard.

    Attributes:
        bounds: Smallest and largest values of the ``d`` columns, ``2 x d``.
        choices: The values of each column that has a list of them, rising, the ends among them.
        categorical: Those of them whose values have no order.
        snap: Rounds columns that are searched like ranges and are none, of ``... x d``.
        inactive: Maps points that differ only in columns without a meaning to the same point.
        settings: How hard.
        candidates: The points themselves, ``n x d``, if not all of the space may be suggested.
    """

    bounds: Tensor
    choices: Mapping[int, Sequence[float]]
    categorical: Sequence[int]
    snap: Callable[[Tensor], Tensor]
    inactive: Callable[[Tensor], Tensor] | None = None
    settings: SearchSettings = SearchSettings()  # noqa: RUF009  # frozen
    candidates: Tensor | None = None

    @classmethod
    def of(cls, space: Space, settings: SearchSettings) -> Self:
        """That of a space; unless points are few, many values are a range, rounded."""
        free = [(i, p) for i, p in enumerate(space.parameters.values()) if i not in space.fixed]
        bounds = space.bounds.clone()
        bounds[:, [*space.fixed]] = bounds.new_tensor([*space.fixed.values()])
        few = math.prod(p.size for _, p in free) <= settings.table_size
        limit = math.inf if few else settings.max_listed
        listed = {i: p.places() for i, p in free if p.choices is not None or p.size <= limit}
        choices = {i: [place] for i, place in space.fixed.items()} | listed
        categorical = [i for i, p in free if p.is_categorical]
        maps = space.snap, space.inactive
        return cls(bounds, choices, categorical, *maps, settings, space.candidates)

    @property
    def columns(self) -> list[Tensor]:
        """The values of every column of a table, where each has a list of them."""
        return [self.bounds.new_tensor(self.choices[i]) for i in range(len(self.choices))]

    @property
    def num_combinations(self) -> int:
        """The number of combinations of listed values, or of candidates."""
        if self.candidates is not None:
            return len(self.candidates)
        return math.prod(map(len, self.choices.values()))

    @property
    def is_table(self) -> bool:
        """Whether it is fully discrete, so that its points can be looked at one by one.

        Wide ranges of integers are searched like continuous ones, unless there are few points.
        """
        if self.candidates is not None:
            return True
        if len(self.choices) < self.bounds.shape[-1]:
            return False
        longest = max(map(len, self.choices.values()))
        is_small = self.num_combinations <= self.settings.table_size
        return is_small or longest <= MAX_CARDINALITY_FOR_LOCAL_SEARCH

    @property
    def has_many_combinations(self) -> bool:
        """Whether numbers are climbed in and choices changed by turns, not beside each choice."""
        return self.num_combinations > self.settings.max_combinations

    def listed(self, X: Tensor) -> Tensor:
        """Points ``... x d`` with the nearest listed value in every column that has a list."""
        X = X.clone()
        for column, values in self.choices.items():
            listed = X.new_tensor(values)
            X[..., column] = listed[(X[..., [column]] - listed).abs().argmin(-1)]
        return X

    def filled(self, X: Tensor) -> Tensor:
        """Points ``... x d`` that are equal where they differ in what has no meaning only."""
        return X if self.inactive is None else self.inactive(X)
