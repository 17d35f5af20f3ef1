"""Rank counts: the one data structure that every kind of feedback becomes."""

from dataclasses import dataclass

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor


@dataclass(frozen=True)
class RankCounts:
    """Records *(point, k, n)*: the point was worse than ``k`` of the ``n`` others it met.

    Args:
        X: Points, an ``m x d`` tensor.
        counts: Numbers of better points ``k``, of shape ``m``, in the dtype of ``X``.
        exposure: Numbers of points compared with ``n``, of shape ``m``, in the dtype of ``X``.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If a count is not between 0 and its exposure.
    """

    X: Tensor
    counts: Tensor
    exposure: Tensor

    def __post_init__(self) -> None:
        num_records = self.X.shape[:1]
        if self.X.ndim != 2 or not (self.counts.shape == self.exposure.shape == num_records):
            raise BotorchTensorDimensionError(
                "RankCounts takes X of shape m x d with counts and exposure of shape m, but got "
                f"{tuple(self.X.shape)}, {tuple(self.counts.shape)} and "
                f"{tuple(self.exposure.shape)}."
            )
        if not bool(((self.counts >= 0) & (self.counts <= self.exposure)).all()):
            raise InputDataError("Every rank count must lie between 0 and its exposure.")

    def __len__(self) -> int:
        return self.X.shape[0]

    @classmethod
    def from_outcomes(cls, X: Tensor, Y: Tensor) -> "RankCounts":
        """Rank points by measured outcomes, larger being better.

        ``k`` counts the strictly better points, so tied points share the better rank: three points
        with outcomes 2, 2, 1 get 0, 0, 2. Replicates, that is equal rows of ``X``, are merged into
        one point with their mean outcome before ranking; otherwise every copy of a good point would
        carry its good rank. The exposure is the number of distinct points less one. Points come
        back in lexicographic order, so the order of the evaluations never matters. O(N log N).

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
        _check_outcomes(X, Y)
        points, outcomes = merge_replicates(X, Y)
        num_points = points.shape[0]
        if num_points < 2:
            raise InputDataError(
                f"A rank needs two distinct points to compare, but train_X holds {num_points}. "
                "Evaluate more points, for example a Sobol or uniform initial design."
            )
        not_better = torch.searchsorted(outcomes.sort().values, outcomes, right=True)
        return cls(
            X=points,
            counts=(num_points - not_better).to(X),
            exposure=X.new_full((num_points,), num_points - 1),
        )


def merge_replicates(X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor]:
    """Average the outcomes of equal points.

    Args:
        X: Evaluated points, an ``N x d`` tensor.
        Y: Outcomes, an ``N x 1`` or ``N`` tensor.

    Returns:
        The ``m`` distinct points in lexicographic order, ``m x d``, and their mean outcomes, ``m``;
        minus infinity where a copy failed.
    """
    points, inverse, copies = torch.unique(X, dim=0, return_inverse=True, return_counts=True)
    # Sorted, so that rounding does not depend on the order of the evaluations. Measured from the
    # lowest copy, so that the mean of equal numbers is that number; halved, so that none overflows.
    outcomes, order = Y.reshape(-1).sort()
    inverse = inverse[order]
    lowest = Y.new_full(copies.shape, torch.inf).scatter_reduce(0, inverse, outcomes, "amin")
    above = (outcomes / 2 - lowest[inverse] / 2) / copies[inverse]
    above = torch.where(lowest[inverse].isfinite(), above, 0.0)
    half = torch.zeros_like(lowest).index_add_(0, inverse, above)
    return points, lowest + half + half


def _check_outcomes(X: Tensor, Y: Tensor) -> None:
    """Raise the documented errors of :meth:`RankCounts.from_outcomes`."""
    if X.ndim != 2 or Y.shape not in ((X.shape[0], 1), (X.shape[0],)):
        raise BotorchTensorDimensionError(
            "Expected train_X of shape N x d and train_Y of shape N x 1, but got "
            f"{tuple(X.shape)} and {tuple(Y.shape)}. Outcomes of several objectives must be "
            "reduced to one column before ranking."
        )
    if not X.is_floating_point() or X.dtype != Y.dtype or X.device != Y.device:
        raise InputDataError(
            "train_X and train_Y must share one floating-point dtype and one device, but are "
            f"{X.dtype} on {X.device} and {Y.dtype} on {Y.device}. Convert one with Y.to(X)."
        )
    if not bool(X.isfinite().all()):
        raise InputDataError("train_X holds NaN or infinite values. Remove or repair those rows.")
    if bool(Y.isnan().any()):
        raise InputDataError(
            "train_Y holds NaN. Drop those rows, or set them to -inf to rank a failed evaluation "
            "below every success."
        )
    if bool(torch.isposinf(Y).any()):
        raise InputDataError(
            "train_Y holds +inf, which would rank above every point. If it marks a failure, use "
            "-inf: larger outcomes are better."
        )
