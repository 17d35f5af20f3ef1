"""Rank counts: the paper's records, derived from an order."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.data._rows import detach_fields, distinct_rows
from botorch_popbo.data.order import Order

#: Pairs that are compared at a time, which bounds memory.
MAX_PAIRS = 2**20


@dataclass(frozen=True, eq=False)
class RankCounts:
    """Records *(point, k, n)*: the point was worse than ``k`` of the ``n`` others it met.

    Args:
        X: Points, an ``m x d`` tensor.
        counts: Numbers ``k`` of better points, of shape ``m``, in the dtype of ``X``. Expected
            numbers need not be whole.
        exposure: Numbers ``n`` of points compared with, of shape ``m``, in the dtype of ``X``.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If a count is not between 0 and its exposure, or the latter is infinite.
    """

    X: Tensor
    counts: Tensor
    exposure: Tensor

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or not (self.counts.shape == self.exposure.shape == self.X.shape[:1]):
            raise BotorchTensorDimensionError(
                "RankCounts takes X of shape m x d with counts and exposure of shape m, but got "
                f"{tuple(self.X.shape)}, {tuple(self.counts.shape)} and "
                f"{tuple(self.exposure.shape)}."
            )
        detach_fields(self)
        is_possible = (self.counts >= 0) & (self.counts <= self.exposure)
        if not bool((is_possible & self.exposure.isfinite()).all()):
            raise InputDataError("Every rank count must lie between 0 and its finite exposure.")

    @classmethod
    def from_order(cls, order: Order) -> Self:
        r"""Count the better points.

        Ties share the better rank: three points with outcomes 2, 2, 1 get 0, 0, 2. With known
        variances a count is the expected one,
        :math:`k_i = \sum_{j \ne i} \Phi((y_j - y_i) / \sqrt{v_i + v_j})` for independent normal
        errors. Counts and exposures of a point in several lists of one task are added up.
        O(r log r) for ``r`` entries, and O(l^2) for each list of ``l`` entries with variances.

        Args:
            order: The order.

        Returns:
            One record for each point of each task, by ascending task and in the order of the
            points.
        """
        better, met = count_better(order)
        X = order.X[order.item[order.ranked.rows]]
        return cls(X, better.to(X), met.to(X))

    def __repr__(self) -> str:
        """Sizes; the tensors themselves would fill a page."""
        points = f"{self.num_points} points in {self.X.shape[-1]} dimensions"
        return f"{type(self).__name__}({len(self)} records of {points})"

    def __len__(self) -> int:
        return self.X.shape[0]

    @cached_property
    def num_points(self) -> int:
        """The number of distinct points, which a point may have several records of."""
        return distinct_rows(*self.X.unbind(-1)).rows.shape[0] if self.X.numel() else 0

    def insert(self, X: Tensor, predicted: Tensor) -> Self:
        """Add points at predicted ranks, as if they had been evaluated.

        A new point is better than exactly the known points of which at least as large a share of
        points is better, and than the new ones predicted to rank behind it. Every record then met
        that many points more.

        Args:
            X: Points, a ``p x d`` tensor.
            predicted: Their predicted counts among the known points, of shape ``p``, in ranks.

        Returns:
            The records of known and new points, in that order; counts may be fractional.
        """
        counts, exposure, num_new = self.counts, self.exposure, len(predicted)
        # A record that met few points is placed by its share of better ones.
        placed = counts / exposure.clamp_min(1.0) * (self.num_points - 1)
        better = (predicted <= placed.unsqueeze(-1)).sum(-1).to(counts)
        ahead = (predicted < predicted.unsqueeze(-1)).sum(-1).to(counts)
        longest = self.num_points + num_new - 1.0
        new = (predicted.to(counts) + ahead).clamp_max(longest)
        met = torch.cat([exposure + num_new, exposure.new_full((num_new,), longest)])
        return type(self)(torch.cat([self.X, X.to(self.X)]), torch.cat([counts + better, new]), met)


def count_better(order: Order, noisy: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Count better points in every list, and add up the lists of a task.

    Args:
        order: The order.
        noisy: Of which tasks variances and draws count, a mask; elsewhere scores are taken at their
            word. By default those of all tasks.

    Returns:
        Numbers of better points, expected ones under noise, and of points met, for each point of
        each task (:attr:`~botorch_popbo.data.Order.ranked`), in the precision of the scores.
    """
    list_index, places = order.list_index, order.places
    sizes, copies = list_index.bincount(), places.copies[places.inverse]
    # Entries sorted by list and score: the better ones of a list are those behind an entry.
    behind = sizes.cumsum(0)[list_index] - places.copies.cumsum(0)[places.inverse]
    better, others = behind.to(order.score), (sizes[list_index] - 1).to(order.score)
    counts = torch.ones_like(order.is_draw) if noisy is None else noisy[order.task_index]
    better = torch.where(order.is_draw & counts, better + 0.5 * (copies - 1).to(better), better)
    for index in list_index[(order.variance > 0) & counts].unique():
        entry = ((list_index == index) & order.score.isfinite()).nonzero().squeeze(-1)
        better[entry] = _expected_better(order.score[entry], order.variance[entry])
    compared = torch.where(order.is_censored, better, others)
    none, record = order.score.new_zeros(len(order.ranked.rows)), order.ranked.inverse
    return none.index_add(0, record, better), none.index_add(0, record, compared)


def _expected_better(score: Tensor, variance: Tensor) -> Tensor:
    """Expected numbers of better entries of one list, of independent normal scores."""
    # Halved, so that no difference overflows.
    score, deviation = score / 2, variance.sqrt() / 2
    expected = torch.zeros_like(score)
    rows_at_a_time = max(1, MAX_PAIRS // max(1, len(score)))
    for rows in torch.arange(len(score), device=score.device).split(rows_at_a_time):
        scale = torch.hypot(deviation[rows, None], deviation)
        difference = score - score[rows, None]
        probability = torch.special.ndtr(difference / scale)
        probability = torch.where(scale > 0, probability, (difference > 0).to(score))
        probability.scatter_(1, rows[:, None], 0.0)  # nobody meets himself
        expected[rows] = probability.sum(-1)
    return expected
