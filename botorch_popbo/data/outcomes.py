"""Orders of measured outcomes: exact, noisy, or comparable within groups only."""

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.data._checks import check_column, check_integers, check_outcomes, check_same_kind
from botorch_popbo.data._rows import (
    DistinctRows,
    distinct_points,
    distinct_rows,
    lexicographic_order,
    points_at,
)
from botorch_popbo.data.order import Order


def from_outcomes(X: Tensor, Y: Tensor, Yvar: Tensor | None = None) -> Order:
    """Order points by measured outcomes, larger being better.

    Replicates, that is equal rows of ``X``, are merged into one point with their mean outcome,
    weighted by inverse variance; otherwise every copy of a good point would carry its good rank.
    Points come back in lexicographic order, so the order of the evaluations never matters.
    O(N log N).

    Assumption: the outcomes measure the same quantity, so that every point has been compared with
    every other; their errors are independent and normal with the given variances.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor in any unit. Minus infinity marks a failed
            evaluation: it is worse than every success.
        Yvar: Variances of the outcomes, that is squared standard errors, in the shape of ``Y`` and
            its unit squared; NaN where unknown, which stands for the mean of the known ones; those
            of failures are ignored. Zeros say that there is no noise; by default that is unknown.

    Returns:
        One list of all distinct points.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are fewer than two distinct points, if ``X`` or ``Y`` holds
            NaN, if ``X`` is not finite, if an outcome is plus infinity, if a variance is negative
            or infinite, if one is not a tensor, or if dtypes or devices differ.
    """
    check_outcomes(X, Y)
    points, distinct = distinct_points(X)
    outcomes = Y.detach().reshape(-1)
    variances = None if Yvar is None else _known_variances(X, outcomes, Yvar)
    if variances is not None:
        known = _weighted_means(outcomes, variances, distinct)
        return Order.from_scores(points, *known, is_measured=True)
    return Order.from_scores(points, mean_of_copies(outcomes, distinct.inverse), is_measured=True)


def from_replicates(X: Tensor, Y: Tensor) -> Order:
    """Order points by noisy outcomes of one common variance, estimated from replicates.

    Args:
        X: Evaluated points, an ``N x d`` tensor, some of them several times.
        Y: Outcomes, as in :func:`from_outcomes`.

    Returns:
        One list of all distinct points, with the variances of their means, both in a unit of the
        size of the noise.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`from_outcomes`; or if no point has replicates that all
            succeeded.
    """
    check_outcomes(X, Y)
    points, distinct = distinct_points(X)
    means = _pooled_means(Y.detach().reshape(-1), distinct)
    return Order.from_scores(points, *means, is_measured=True)


def from_groups(X: Tensor, Y: Tensor, groups: Tensor) -> Order:
    """Order points within each group by itself: a task, a fidelity, a session of a human judge.

    Within a group everything is as in :func:`from_outcomes`, and with one group the result is the
    same. A group of a single point has nothing to compare and is left out. O(N log N) for any
    number of groups.

    Assumption: the groups agree on which points are good, and the points of each group are a fair
    sample, so that being worse than half of a group means the same in all of them.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor, in a unit of each group's own, larger being
            better. Minus infinity marks a failed evaluation: it is worse than every success.
        groups: Which group each outcome belongs to, an integer tensor of shape ``N`` or ``N x 1``
            with any labels.

    Returns:
        One list, a task of its own, for each group, by ascending label.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If ``X`` or ``Y`` holds NaN, if ``X`` is not finite, if an outcome is plus
            infinity, if labels are not integers, if one is not a tensor, if dtypes or devices
            differ, or if no group has two distinct points.
    """
    check_outcomes(X, Y)
    check_column(groups, X, "groups")
    check_integers(groups, X, "groups")
    labels = groups.reshape(-1)
    distinct = distinct_rows(labels, *X.unbind(-1))
    outcomes = mean_of_copies(Y.detach().reshape(-1), distinct.inverse)
    _, group, sizes = distinct_rows(labels[distinct.rows])
    compared = sizes[group] > 1
    if not bool(compared.any()):
        raise InputDataError(
            "No group holds two distinct points, so there is nothing to compare. Evaluate more "
            "points in a group, or give one label to outcomes that are comparable."
        )
    entries, outcomes = points_at(X, distinct.rows[compared]), outcomes[compared]
    rows, item, _ = distinct_rows(*entries.unbind(-1))
    lists = group[compared].unique(return_inverse=True)[1]
    return Order.from_scores(
        entries[rows], outcomes, is_measured=True, item=item, list_index=lists, task_index=lists
    )


def _known_variances(X: Tensor, outcomes: Tensor, Yvar: Tensor) -> Tensor | None:
    check_column(Yvar, X, "train_Yvar")
    check_same_kind(X, Yvar, "train_Yvar")
    variances = Yvar.detach().reshape(-1)
    is_known = ~variances.isnan() & outcomes.isfinite()
    known = variances[is_known].sort().values  # so that the mean does not depend on their order
    if not bool(((known >= 0) & known.isfinite()).all()):
        raise InputDataError(
            "train_Yvar is negative or infinite. Pass squared standard errors, NaN where unknown."
        )
    if not len(known):
        return None
    return torch.where(is_known, variances, known.mean().clamp_max(known[-1]))  # no overflow


def mean_of_copies(outcomes: Tensor, inverse: Tensor, weights: Tensor | None = None) -> Tensor:
    """Average outcomes of equal points, exactly where the copies are equal.

    Args:
        outcomes: Outcomes, of shape ``N``.
        inverse: Which of the ``m`` distinct points each outcome belongs to, of shape ``N``.
        weights: Weights, of shape ``N``, at least one positive for each point; equal by default.

    Returns:
        Weighted means, of shape ``m``; minus infinity where a copy with a weight failed.
    """
    num_points = int(inverse.max()) + 1 if inverse.numel() else 0
    if num_points == outcomes.shape[0]:
        return torch.empty_like(outcomes).index_copy_(0, inverse, outcomes)
    # Sorted, so that rounding does not depend on the order of the evaluations. Measured from a copy
    # of the largest weight, the lowest, so that the mean of equal numbers is that number and one of
    # little weight leaves no digits of its own; halved, so that none overflows.
    weights = torch.ones_like(outcomes) if weights is None else weights
    order = lexicographic_order(outcomes, weights)
    outcomes, weights, inverse = outcomes[order], weights[order], inverse[order]
    start = outcomes.new_full((num_points,), torch.inf)
    largest = -start.scatter_reduce(0, inverse, -weights, "amin")
    counted = torch.where(weights == largest[inverse], outcomes, torch.inf)
    lowest = start.scatter_reduce(0, inverse, counted, "amin")
    total = torch.zeros_like(lowest).index_add_(0, inverse, weights)
    above = (outcomes / 2 - lowest[inverse] / 2) * weights / total[inverse]
    above = torch.where((weights > 0) & lowest[inverse].isfinite(), above, 0.0)
    half = torch.zeros_like(lowest).index_add_(0, inverse, above)
    return lowest + half + half


def _weighted_means(
    outcomes: Tensor, variances: Tensor, distinct: DistinctRows
) -> tuple[Tensor, Tensor]:
    """Means weighted by inverse variance; copies without noise share all the weight.

    Args:
        outcomes: Outcomes, of shape ``N``.
        variances: Their variances, of shape ``N``; those of failures are ignored.
        distinct: The ``m`` distinct points.

    Returns:
        The means and their variances, both of shape ``m``.
    """
    variances = torch.where(outcomes.isfinite(), variances, 0.0)
    start = torch.full_like(outcomes[distinct.rows], torch.inf)
    smallest = start.scatter_reduce(0, distinct.inverse, variances, "amin")
    # Relative to the most exact copy, so that no weight overflows.
    weights = torch.where(variances > 0, smallest[distinct.inverse] / variances, 1.0)
    means = mean_of_copies(outcomes, distinct.inverse, weights)
    weights, order = weights.sort()
    total = torch.zeros_like(smallest).index_add_(0, distinct.inverse[order], weights)
    return means, smallest / total


def _pooled_means(outcomes: Tensor, distinct: DistinctRows) -> tuple[Tensor, Tensor]:
    """Means, with one variance that is estimated from the spread of all replicates.

    Args:
        outcomes: Outcomes, of shape ``N``.
        distinct: The ``m`` distinct points.

    Returns:
        The means and their variances, both of shape ``m``, in a unit of the size of the noise.

    Raises:
        InputDataError: If no point has replicates that all succeeded.
    """
    means = mean_of_copies(outcomes, distinct.inverse)
    success = means.isfinite()
    freedom = (distinct.copies[success] - 1).sum()
    if not bool(freedom):
        raise InputDataError(
            "The noise cannot be estimated: no point was evaluated twice without a failure. "
            "Evaluate some points again, or use from_outcomes, with Yvar if the noise is known."
        )
    # Halved and relative to the largest, so that no square overflows or vanishes.
    halves = outcomes / 2 - means[distinct.inverse] / 2
    halves = halves[success[distinct.inverse]].abs().sort().values
    largest = halves[-1]
    spread = largest * ((halves / largest).square().sum() / freedom).sqrt()
    if not bool(spread > 0):
        return means, torch.zeros_like(means)
    # So that the square of the spread neither overflows nor vanishes, and every mean stays finite.
    unit = torch.maximum(spread, means[success].abs().amax() * torch.finfo(means.dtype).tiny)
    return means / unit, 4 * (spread / unit).square() / distinct.copies.to(means)
