"""Rank counts of outcomes: measured values, taken at their word."""

from torch import Tensor

from botorch_popbo.rank_counts.base import RankCounts
from botorch_popbo.rank_counts.checks import check_outcomes, check_two_points
from botorch_popbo.rank_counts.replicates import merge_replicates
from botorch_popbo.rank_counts.rows import distinct_rows


def from_outcomes(X: Tensor, Y: Tensor) -> RankCounts:
    """Rank points by measured outcomes, larger being better.

    ``k`` counts the strictly better points, so tied points share the better rank: three points
    with outcomes 2, 2, 1 get 0, 0, 2. Replicates, that is equal rows of ``X``, are merged into
    one point with their mean outcome before ranking; otherwise every copy of a good point would
    carry its good rank. The exposure is the number of distinct points less one. Points come
    back in lexicographic order, so the order of the evaluations never matters. O(N log N).

    Assumption: the outcomes are exact and measure the same quantity, so that every point has
    been compared with every other.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor in any unit. Minus infinity marks a failed
            evaluation: it ranks below every success.

    Returns:
        One record per distinct point.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are fewer than two distinct points, if ``X`` or ``Y`` holds
            NaN, if ``X`` is not finite, or if an outcome is plus infinity.
    """
    check_outcomes(X, Y)
    points, outcomes = merge_replicates(X, Y)
    check_two_points(points.shape[0])
    return strict_rank_counts(points, outcomes)


def strict_rank_counts(points: Tensor, *levels: Tensor) -> RankCounts:
    """Count the points on a strictly higher level.

    Args:
        points: Distinct points, an ``m x d`` tensor.
        levels: What to compare the points by, each of shape ``m``, larger being better. The first
            decides, the others only between points that are equal so far.

    Returns:
        One record per point, of exposure ``m - 1``.
    """
    num_points = points.shape[0]
    _, level, copies = distinct_rows(*levels)
    return RankCounts(
        X=points,
        counts=(num_points - copies.cumsum(0)[level]).to(points),
        exposure=points.new_full((num_points,), num_points - 1),
    )
