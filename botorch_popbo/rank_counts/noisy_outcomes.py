"""Rank counts of noisy outcomes: expected counts over what the true values may be."""

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.rank_counts.base import RankCounts
from botorch_popbo.rank_counts.checks import check_outcomes, check_same_kind, check_two_points
from botorch_popbo.rank_counts.chunks import row_chunks
from botorch_popbo.rank_counts.replicates import mean_of_copies
from botorch_popbo.rank_counts.rows import DistinctRows, distinct_rows, points_at


def from_noisy_outcomes(X: Tensor, Y: Tensor, Yvar: Tensor | None = None) -> RankCounts:
    r"""Expected numbers of better points when outcomes have known or estimated noise.

    :math:`k_i = \sum_{j \ne i} \Phi((y_j - y_i) / \sqrt{v_i + v_j})`, so two noisy points with
    equal outcomes are half a count apart from each other. A pair without any noise is compared
    strictly, as in :func:`from_outcomes`; with no noise at all the result is the same. Replicates
    are merged first, weighted by inverse variance; copies without noise share all the weight.
    Points come back in lexicographic order. O(N^2) time, O(N) memory.

    Assumption: the errors are independent and Gaussian with the given variances, or with one
    common variance if none are given, and nothing else is known of the true values.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor in any unit, larger being better. Minus infinity
            marks a failed evaluation: it ranks below every success, with certainty.
        Yvar: Variances of the outcomes, that is squared standard errors, in the shape of ``Y`` and
            its unit squared; those of failures are ignored. By default one variance is estimated
            from the replicates, pooled over all points without a failed copy.

    Returns:
        One record per distinct point, of exposure one less than their number.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: As in :func:`from_outcomes`; if a variance is negative, NaN or infinite; or
            if a variance must be estimated and no point has replicates that all succeeded.
    """
    check_outcomes(X, Y)
    outcomes = Y.detach().reshape(-1)
    if Yvar is not None:
        _check_variances(X, Y, Yvar)
    distinct = distinct_rows(*X.unbind(-1))
    num_points = distinct.rows.shape[0]
    check_two_points(num_points)
    if Yvar is None:
        means, scales = _pooled(outcomes, distinct)
    else:
        means, scales = _weighted(outcomes, Yvar.detach().reshape(-1), distinct)
    success = means.isfinite()
    counts = success.sum().to(X).repeat(num_points)
    counts[success] = _expected_better(means[success], scales[success])
    return RankCounts(
        X=points_at(X, distinct.rows),
        counts=counts,
        exposure=X.new_full((num_points,), num_points - 1),
    )


def _weighted(outcomes: Tensor, variances: Tensor, distinct: DistinctRows) -> tuple[Tensor, Tensor]:
    """Inverse-variance weighted means and half their standard errors, both of shape ``m``."""
    variances = torch.where(outcomes.isfinite(), variances, 0.0)
    start = torch.full_like(outcomes[distinct.rows], torch.inf)
    smallest = start.scatter_reduce(0, distinct.inverse, variances, "amin")
    # Relative to the most exact copy, so that no weight overflows.
    relative = smallest[distinct.inverse] / variances
    weights = torch.where(variances > 0, relative, 1.0)
    means = mean_of_copies(outcomes, distinct.inverse, weights)
    weights, order = weights.sort()
    total = torch.zeros_like(smallest).index_add_(0, distinct.inverse[order], weights)
    return means, smallest.sqrt() / total.sqrt() / 2


def _pooled(outcomes: Tensor, distinct: DistinctRows) -> tuple[Tensor, Tensor]:
    """Means and half their standard errors, both of shape ``m``, from the replicates' spread."""
    means = mean_of_copies(outcomes, distinct.inverse)
    success = means.isfinite()
    freedom = (distinct.copies[success] - 1).sum()
    if not bool(freedom):
        raise InputDataError(
            "The noise cannot be estimated: no point was evaluated twice without a failure. Pass "
            "Yvar, evaluate some points again, or use from_outcomes if there is no noise."
        )
    # Halved and relative to the largest, so that no square overflows or vanishes.
    halves = outcomes / 2 - means[distinct.inverse] / 2
    halves = halves[success[distinct.inverse]].abs().sort().values
    largest = halves[-1]
    spread = largest * ((halves / largest).square().sum() / freedom).sqrt()
    return means, spread.nan_to_num(nan=0.0) / distinct.copies.to(means).sqrt()


def _expected_better(outcomes: Tensor, scales: Tensor) -> Tensor:
    """The sum over all other points, of shape ``m``; the scales are half the standard errors."""
    counts = torch.empty_like(outcomes)
    halves = outcomes / 2
    for rows in row_chunks(outcomes.shape[0]):
        scale = torch.hypot(scales[rows, None], scales)
        probability = torch.special.ndtr((halves - halves[rows, None]) / scale)
        strict = (outcomes > outcomes[rows, None]).to(outcomes)
        probability = torch.where(scale > 0, probability, strict)
        probability.diagonal(rows.start).fill_(0.0)
        counts[rows] = probability.sum(-1)
    return counts


def _check_variances(X: Tensor, Y: Tensor, Yvar: Tensor) -> None:
    if Yvar.shape not in ((X.shape[0], 1), (X.shape[0],)):
        raise BotorchTensorDimensionError(
            f"Expected train_Yvar of shape N x 1 like train_Y, but got {tuple(Yvar.shape)} for "
            f"{X.shape[0]} points."
        )
    check_same_kind(X, Yvar, "train_Yvar")
    variances = Yvar.reshape(-1)[Y.reshape(-1).isfinite()]
    if not bool(((variances >= 0) & variances.isfinite()).all()):
        raise InputDataError(
            "train_Yvar holds negative, NaN or infinite values. It takes variances, that is "
            "squared standard errors; drop rows whose noise is unknown, or leave Yvar out to "
            "estimate one variance from replicates."
        )
