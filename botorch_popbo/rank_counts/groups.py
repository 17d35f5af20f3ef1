"""Rank counts of outcomes that are comparable only within a group."""

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.rank_counts.base import RankCounts
from botorch_popbo.rank_counts.checks import check_outcomes
from botorch_popbo.rank_counts.replicates import mean_of_copies
from botorch_popbo.rank_counts.rows import distinct_rows, points_at


def from_groups(X: Tensor, Y: Tensor, groups: Tensor) -> RankCounts:
    """Rank points within each group by itself: a task, a fidelity, a session of a human judge.

    Within a group everything is as in :func:`from_outcomes`, and with one group the result is the
    same. The exposure is the number of distinct points in the group less one; a group of a single
    point has nothing to compare and gives no record. A point in several groups gets a record from
    each. O(N log N) for any number of groups.

    Assumption: the groups agree on which points are good, and the points of each group are a fair
    sample, so that being worse than half of a group means the same in all of them.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor, in a unit of each group's own, larger being
            better. Minus infinity marks a failed evaluation: it ranks below every success.
        groups: Which group each outcome belongs to, an integer tensor of shape ``N`` or ``N x 1``
            with any labels.

    Returns:
        One record per group and distinct point in it, by ascending label and in lexicographic
        order within a group.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If ``X`` or ``Y`` holds NaN, if ``X`` is not finite, if an outcome is plus
            infinity, if labels are not integers, if devices differ, or if no group has two
            distinct points.
    """
    check_outcomes(X, Y)
    _check_groups(X, groups)
    labels = groups.reshape(-1)
    distinct = distinct_rows(labels, *X.unbind(-1))
    outcomes = mean_of_copies(Y.detach().reshape(-1), distinct.inverse)
    _, group, sizes = distinct_rows(labels[distinct.rows])
    # Points sorted by group and outcome: the better ones of a group are those behind a point.
    _, level, copies = distinct_rows(group, outcomes)
    better = sizes.cumsum(0)[group] - copies.cumsum(0)[level]
    others = sizes[group] - 1
    compared = others > 0
    if not bool(compared.any()):
        raise InputDataError(
            "No group holds two distinct points, so there is nothing to compare. Evaluate more "
            "points in a group, or give one label to outcomes that are comparable."
        )
    return RankCounts(
        X=points_at(X, distinct.rows[compared]),
        counts=better[compared].to(X),
        exposure=others[compared].to(X),
    )


def _check_groups(X: Tensor, groups: Tensor) -> None:
    if groups.shape not in ((X.shape[0], 1), (X.shape[0],)):
        raise BotorchTensorDimensionError(
            f"Expected groups of shape N, one label for each of the {X.shape[0]} rows of train_X, "
            f"but got {tuple(groups.shape)}."
        )
    if groups.is_floating_point() or groups.is_complex() or groups.dtype == torch.bool:
        raise InputDataError(
            f"groups must hold integer labels, but is of dtype {groups.dtype}. Convert it with "
            "groups.long()."
        )
    if groups.device != X.device:
        raise InputDataError(
            f"groups must be on the device of train_X, but is on {groups.device} and train_X on "
            f"{X.device}. Move it with groups.to(X.device)."
        )
