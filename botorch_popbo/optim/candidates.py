"""Random candidates of a fully discrete space."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

_MAX_NUM_CELLS = 2**62  # cells are counted in int64
_MAX_PERMUTATION = 2**20


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
    if math.prod(sizes) > _MAX_NUM_CELLS:
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
    unique: Tensor = cells[on_grid].unique()
    return unique


def _distinct(population: int, number: int, generator: torch.Generator) -> Tensor:
    """Distinct whole numbers below a bound, in random order."""
    if population <= max(_MAX_PERMUTATION, 4 * number):
        return torch.randperm(population, generator=generator)[:number]
    # Few of twice as many draws coincide, since the population is much larger.
    drawn: Tensor = torch.randint(population, (2 * number,), generator=generator).unique()
    return drawn[torch.randperm(len(drawn), generator=generator)[:number]]
