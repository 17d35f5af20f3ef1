"""Fully discrete spaces, of which every point can be looked at."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from botorch_popbo.data._rows import is_row_of
from botorch_popbo.search.domain import Domain


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
    picked = [v[c.to(v.device)] for v, c in zip(choices, columns, strict=True)]
    return torch.stack(picked, dim=-1)


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
