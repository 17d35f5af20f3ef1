"""Rank counts over a base set: the paper's independent ranking."""

import torch
from torch import Tensor

from botorch_popbo.data import RankCounts, from_outcomes


def from_base_set(X: Tensor, Y: Tensor, generator: torch.Generator) -> RankCounts:
    """Rank half of the points, each over the other half only.

    Ranks over the whole set depend on each other: no two points can both be third. Given the base
    set, the ranks of the other points do not. The price is half of the data, and that points
    between the same two base points tie. Counts run from 0 to the size of the base set, both
    included. Replicates are merged by their mean before the split. O(N log N).

    Assumption: the outcomes are exact.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor in any unit, larger being better. Minus infinity
            marks a failed evaluation: it ranks below every success.
        generator: Draws half of the distinct points, rounded down, as the base set.

    Returns:
        One record per distinct point outside the base set, in lexicographic order, of exposure the
        number of distinct points in it.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`~botorch_popbo.data.from_outcomes`.
    """
    order = from_outcomes(X, Y)
    num_points = order.num_points
    drawn = torch.randperm(num_points, generator=generator, device=generator.device)
    in_base = torch.zeros(num_points, dtype=torch.bool, device=X.device)
    in_base[drawn[: num_points // 2].to(X.device)] = True
    rivals = order.score[in_base].sort().values
    better = len(rivals) - torch.searchsorted(rivals, order.score[~in_base], right=True)
    return RankCounts(order.X[~in_base], better.to(X), X.new_full(better.shape, len(rivals)))
