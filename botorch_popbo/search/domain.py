"""Where to search, for optimizers that know nothing but numbers, and what is left of a table."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import torch
from botorch.optim.optimize_mixed import MAX_CARDINALITY_FOR_LOCAL_SEARCH
from torch import Tensor

from botorch_popbo.data._rows import is_row_of
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


def unseen_points(domain: Domain, X_known: Tensor, number: int, seed: int) -> Tensor:
    """Random points of a table that are neither evaluated nor pending.

    Args:
        domain: The table, of which every column has a list of values.
        X_known: Points evaluated or pending, an ``m x d`` tensor.
        number: Most points to return; all there are if there are fewer.
        seed: Seed of the choice.

    Returns:
        An ``n x d`` tensor; none if there is no such point.
    """
    generator = torch.Generator().manual_seed(seed)
    if domain.candidates is not None:
        left = domain.candidates[~is_row_of(domain.candidates, X_known)]
        return left[_distinct(len(left), number, generator).sort().values]
    candidates = unseen_candidates(domain.columns, X_known, number, generator)
    if domain.inactive is not None:
        candidates = domain.inactive(candidates).unique(dim=0)
        candidates = candidates[~is_row_of(candidates, X_known)]
    return candidates


def unseen_candidates(
    choices: Sequence[Tensor],
    X_avoid: Tensor | None,
    num_candidates: int,
    generator: torch.Generator,
) -> Tensor:
    """Draw distinct points of a grid that are not to be avoided.

    Args:
        choices: For each of ``d`` columns its values, a one-dimensional tensor.
        X_avoid: Points to leave out, an ``m x d`` tensor; points off the grid have no effect.
        num_candidates: Number of points wanted.
        generator: Source of randomness, on the CPU.

    Returns:
        An ``n x d`` tensor with ``n <= num_candidates``; fewer points only where the grid has few
        more left, and none only where every point of it is to be avoided.
    """
    choices = [values.unique() for values in choices]
    sizes = [len(values) for values in choices]
    if math.prod(sizes) > 2**62:  # more than can be numbered in int64
        # Among so many cells, two draws or a draw and an avoided point never meet.
        columns = [torch.randint(n, (num_candidates,), generator=generator) for n in sizes]
    else:
        avoided = _cells(choices, X_avoid)
        free = math.prod(sizes) - len(avoided)
        # The r-th free cell is r plus the number of avoided cells before it.
        ranks = _distinct(free, num_candidates, generator)
        shifts = avoided - torch.arange(len(avoided))
        cells = ranks + torch.searchsorted(shifts, ranks, right=True)
        columns = list(torch.unravel_index(cells, sizes))
    return torch.stack([v[c.to(v.device)] for v, c in zip(choices, columns, strict=True)], dim=-1)


def _cells(choices: Sequence[Tensor], X: Tensor | None) -> Tensor:
    """Sorted numbers of the cells that hold the given points, in row-major order, on the CPU."""
    if X is None:
        return torch.zeros(0, dtype=torch.int64)
    cells = torch.zeros(X.shape[0], dtype=torch.int64)
    on_grid = torch.ones(X.shape[0], dtype=torch.bool)
    for values, column in zip(choices, X.unbind(-1), strict=True):
        index = torch.searchsorted(values, column.contiguous()).clamp_max(len(values) - 1)
        on_grid &= (values[index] == column).cpu()
        cells = cells * len(values) + index.cpu()
    return cells[on_grid].unique()


def _distinct(population: int, number: int, generator: torch.Generator) -> Tensor:
    """Distinct whole numbers below a bound, in random order."""
    if population <= max(2**20, 4 * number):  # a permutation of more takes memory
        return torch.randperm(population, generator=generator)[:number]
    # Few of twice as many draws coincide, since the population is much larger.
    drawn: Tensor = torch.randint(population, (2 * number,), generator=generator).unique()
    return drawn[torch.randperm(len(drawn), generator=generator)[:number]]
