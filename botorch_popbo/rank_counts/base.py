"""Rank counts: the one data structure that every kind of feedback becomes."""

from dataclasses import dataclass
from functools import cached_property

from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.rank_counts.rows import distinct_rows


@dataclass(frozen=True)
class RankCounts:
    """Records *(point, k, n)*: the point was worse than ``k`` of the ``n`` others it met.

    Args:
        X: Points, an ``m x d`` tensor.
        counts: Numbers of better points ``k``, of shape ``m``, in the dtype of ``X``. Expected
            numbers need not be whole.
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

    def __repr__(self) -> str:
        """Sizes and ranges; the tensors themselves would fill a page."""
        points = f"{self.num_points} points in {self.X.shape[-1]} dimensions"
        if not len(self):
            return f"{type(self).__name__}(0 records of {points})"
        low, high = float(self.exposure.min()), float(self.exposure.max())
        exposure = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        counts = f"{float(self.counts.min()):g} to {float(self.counts.max()):g}"
        return f"{type(self).__name__}({len(self)} records of {points}: {counts} of {exposure})"

    def __len__(self) -> int:
        return self.X.shape[0]

    @cached_property
    def num_points(self) -> int:
        """The number of distinct points, which a point may have several records of."""
        return distinct_rows(*self.X.unbind(-1)).rows.shape[0] if self.X.numel() else 0
