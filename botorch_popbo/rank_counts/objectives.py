"""Rank counts of several objectives: how many points dominate a point."""

import torch
from botorch.exceptions import BotorchTensorDimensionError
from torch import Tensor

from botorch_popbo.rank_counts.base import RankCounts
from botorch_popbo.rank_counts.checks import check_two_points, check_values, is_table
from botorch_popbo.rank_counts.chunks import row_chunks
from botorch_popbo.rank_counts.replicates import mean_of_copies
from botorch_popbo.rank_counts.rows import distinct_rows, points_at


def from_objectives(X: Tensor, Y: Tensor) -> RankCounts:
    """Count the points that are at least as good in all objectives and better in one.

    The points that none dominates, the Pareto set, get 0; equal vectors of outcomes do not
    dominate each other. Replicates are merged by their mean in each objective. With one objective
    this is :func:`from_outcomes`. O(N^2) time, O(N) memory.

    Assumption: the outcomes are exact, and only domination makes a point better: of two points
    that trade one objective for another neither is better, however large the gain.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x m`` tensor, each objective in any unit, larger being better. Minus
            infinity in any objective marks a failed evaluation: every success dominates it.

    Returns:
        One record per distinct point, in lexicographic order, of exposure one less than their
        number.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`from_outcomes`.
    """
    if not is_table(X) or not is_table(Y) or Y.shape[0] != X.shape[0]:
        raise BotorchTensorDimensionError(
            "Expected train_X of shape N x d and train_Y of shape N x m with one column for each "
            f"objective, but got {tuple(X.shape)} and {tuple(Y.shape)}."
        )
    check_values(X, Y)
    distinct = distinct_rows(*X.unbind(-1))
    num_points = distinct.rows.shape[0]
    check_two_points(num_points)
    columns = [mean_of_copies(y, distinct.inverse) for y in Y.detach().unbind(-1)]
    means = torch.stack(columns, dim=-1)
    means[means.isneginf().any(-1)] = -torch.inf
    return RankCounts(
        X=points_at(X, distinct.rows),
        counts=_num_dominating(means).to(X),
        exposure=X.new_full((num_points,), num_points - 1),
    )


def _num_dominating(means: Tensor) -> Tensor:
    """How many rows of the ``m x c`` tensor dominate each row, of shape ``m``."""
    counts = torch.empty_like(means[:, 0], dtype=torch.long)
    columns = means.unbind(-1)
    for rows in row_chunks(means.shape[0]):
        no_worse = torch.stack([y >= y[rows, None] for y in columns]).all(0)
        better = torch.stack([y > y[rows, None] for y in columns]).any(0)
        counts[rows] = (no_worse & better).sum(-1)
    return counts
