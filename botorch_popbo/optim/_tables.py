"""Fully discrete search spaces, of which every point can be looked at."""

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from botorch.optim.optimize_mixed import MAX_CARDINALITY_FOR_LOCAL_SEARCH
from torch import Tensor

from botorch_popbo.data._rows import is_row_of
from botorch_popbo.optim.candidates import unseen_candidates

#: The paper's number of random candidates.
NUM_PAPER_CANDIDATES = 1000
#: Most points that are looked at with one objective, and with several, where each costs more.
MAX_CANDIDATES = 100_000
MAX_FRONT_CANDIDATES = 2_048


def is_table(choices: Mapping[int, Sequence[float]], dim: int) -> bool:
    """Whether a space is fully discrete and not one of wide ranges of integers.

    Those are searched like continuous ones, unless there are few points in all.

    Args:
        choices: The values of each discrete column.
        dim: The number of columns.

    Returns:
        Whether its points can be looked at one by one.
    """
    if len(choices) < dim:
        return False
    sizes = [len(values) for values in choices.values()]
    few_points = math.prod(sizes) <= NUM_PAPER_CANDIDATES
    return few_points or max(sizes) <= MAX_CARDINALITY_FOR_LOCAL_SEARCH


def unseen_points(
    choices: Mapping[int, Sequence[float]],
    X_known: Tensor | None,
    number: int,
    seed: int,
    like: Tensor,
    inactive: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Random points of a table that are neither evaluated nor pending.

    Args:
        choices: The values of each of the ``d`` columns.
        X_known: Points evaluated or pending, an ``m x d`` tensor.
        number: Most points to return; all there are if there are fewer.
        seed: Seed of the choice.
        like: Of the dtype and device wanted.
        inactive: Makes points equal that differ in inactive parameters only.

    Returns:
        An ``n x d`` tensor; none if there is no such point.
    """
    candidates = unseen_candidates(
        [
            torch.tensor(choices[i], dtype=like.dtype, device=like.device)
            for i in range(len(choices))
        ],
        X_known,
        number,
        torch.Generator().manual_seed(seed),
    )
    if inactive is not None:
        candidates = inactive(candidates).unique(dim=0)
        if X_known is not None:
            candidates = candidates[~is_row_of(candidates, X_known)]
    return candidates
