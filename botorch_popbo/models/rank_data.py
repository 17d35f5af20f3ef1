"""The data of a rank model, as buffers that follow it."""

import torch
from torch import Tensor
from torch.nn import Module

from botorch_popbo.rank_counts import RankCounts, from_noisy_outcomes, from_outcomes


class RankData(Module):
    """Rank counts, with the outcomes they were made from.

    The buffers follow ``model.to(...)`` but stay out of the state dict, whose shapes must not
    depend on the number of points.

    Args:
        records: The rank counts to fit to.
        train_X: Evaluated points as they were given, ``N x d``; by default those of the records.
        train_Y: Outcomes, ``N x 1``; by default the negated shares of better points.
    """

    X: Tensor
    counts: Tensor
    exposure: Tensor
    train_X: Tensor
    train_Y: Tensor

    def __init__(
        self, records: RankCounts, train_X: Tensor | None = None, train_Y: Tensor | None = None
    ) -> None:
        super().__init__()
        if train_Y is None:
            train_Y = -records.counts / records.exposure
        self.num_points = records.num_points
        self.register_buffer("X", records.X, persistent=False)
        self.register_buffer("counts", records.counts, persistent=False)
        self.register_buffer("exposure", records.exposure, persistent=False)
        self.register_buffer("train_X", records.X if train_X is None else train_X, persistent=False)
        self.register_buffer("train_Y", train_Y.reshape(-1), persistent=False)

    @classmethod
    def from_outcomes(
        cls, train_X: Tensor, train_Y: Tensor, train_Yvar: Tensor | None = None
    ) -> "RankData":
        """Rank outcomes by :func:`from_outcomes`, or :func:`from_noisy_outcomes` with variances.

        Args:
            train_X: Evaluated points, an ``N x d`` tensor.
            train_Y: Outcomes, an ``N x 1`` tensor, larger being better.
            train_Yvar: Their variances, an ``N x 1`` tensor; NaN where unknown, which stands for
                the mean of the known ones.

        Returns:
            The data.
        """
        if train_Yvar is None or bool(train_Yvar.isnan().all()):
            return cls(from_outcomes(train_X, train_Y), train_X, train_Y)
        known = train_Yvar[~train_Yvar.isnan()]
        variances = train_Yvar.where(~train_Yvar.isnan(), known.mean())
        return cls(from_noisy_outcomes(train_X, train_Y, variances), train_X, train_Y)

    @property
    def records(self) -> RankCounts:
        """The distinct points with their rank counts."""
        return RankCounts(self.X, self.counts, self.exposure)

    def extra_repr(self) -> str:
        """What :mod:`torch` shows of the data."""
        return f"{self.num_points} points in {self.X.shape[-1]} dimensions, {len(self.X)} records"

    @property
    def says_nothing(self) -> bool:
        """Whether no point is worse than another."""
        return not bool(torch.any(self.counts))
