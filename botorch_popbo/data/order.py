"""The order of evaluated points: the one data structure that every kind of feedback becomes."""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from typing import Self

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.data._checks import as_indices
from botorch_popbo.data._rows import DistinctRows, detach_fields, distinct_rows, points_at


@dataclass(frozen=True, eq=False)
class Order:
    """Lists of points, each sorted by a score, and how far every score can be trusted.

    A list is whatever was compared at one go: all outcomes of an experiment, the outcomes of one
    group, a person's ranking, a pair. Scores are comparable within a list only, and of an exact
    score nothing is used but its place. Lists that rank the same thing belong to one task. The
    data structure loses nothing: fifty answers to a question are fifty lists, and an outcome keeps
    its variance.

    Args:
        X: The ``m`` distinct points, an ``m x d`` tensor.
        item: Which row of ``X`` each of the ``r`` entries of the lists is about, of shape ``r``.
        score: What the entries of a list are sorted by, larger being better, of shape ``r``. Equal
            scores are ties; minus infinity marks failures.
        variance: Variances of the scores, in squared units of ``score``, of shape ``r``; NaN where
            unknown, and zero where there is no noise.
        list_index: Which list each entry is in, counted from 0, of shape ``r``.
        task_index: Which task the list of each entry belongs to, of shape ``r``.
        is_censored: Whether no more is known of an entry than that all of a higher score are
            better, and nothing against others of its own score; of shape ``r``.
        is_measured: Whether a score is an outcome, so that it says how far others of its list are
            off, too; of shape ``r``.
        is_draw: Whether equal scores say that neither is better, so that each is worse than half of
            the other; of shape ``r``.
        judge_noise: Lists of one task that may contradict each other are answers. Of these it is
            how many times larger the variance of their judge's noise is than others', of shape
            ``r``; one elsewhere.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If a list has a single entry, holds an item twice or belongs to two tasks,
            if an index skips a number, if an item is not a row of ``X``, if a score is NaN or plus
            infinity, or if a variance is negative or infinite.
    """

    X: Tensor
    item: Tensor
    score: Tensor
    variance: Tensor
    list_index: Tensor
    task_index: Tensor
    is_censored: Tensor
    is_measured: Tensor
    is_draw: Tensor
    judge_noise: Tensor

    def __post_init__(self) -> None:
        entries = [getattr(self, field.name) for field in fields(self)[1:]]
        if self.X.ndim != 2 or len({values.shape for values in entries}) > 1:
            raise BotorchTensorDimensionError(
                "Order takes X of shape m x d and entries of one shape, but got "
                f"{[tuple(values.shape) for values in (self.X, *entries)]}."
            )
        detach_fields(self)
        as_indices(self.item, self.X, "item")
        if not bool((self.score < torch.inf).all()):
            raise InputDataError(
                "score holds NaN or +inf. Leave those entries out, or set them to -inf to mark "
                "failures, which are worse than all others."
            )
        for name in ("list_index", "task_index"):
            index: Tensor = getattr(self, name)
            if bool((index < 0).any()) or not bool(index.bincount().all()):
                raise InputDataError(f"{name} must count from 0, without a gap.")
        if len(distinct_rows(self.list_index, self.item).rows) < len(self.item):
            raise InputDataError("A list holds an item twice. Give each one score.")
        if bool((self.list_index.bincount() == 1).any()):
            raise InputDataError("A list of one point compares nothing. Leave it out.")
        if not bool((self.task_of_list[self.list_index] == self.task_index).all()):
            raise InputDataError("A list belongs to two tasks. Give all its entries one.")
        if bool((self.variance < 0).any() or self.variance.isposinf().any()):
            raise InputDataError(
                "variance is negative or infinite. Pass squared standard errors, NaN where unknown."
            )

    @classmethod
    def from_scores(
        cls,
        X: Tensor,
        score: Tensor,
        variance: Tensor | None = None,
        is_censored: Tensor | None = None,
        is_measured: bool = False,
        item: Tensor | None = None,
        list_index: Tensor | None = None,
        task_index: Tensor | None = None,
        is_draw: Tensor | None = None,
    ) -> Self:
        """One list of distinct points; or several lists, of which all entries are alike.

        Args:
            X: Distinct points, an ``m x d`` tensor.
            score: What to sort them by, larger being better, of shape ``m``, or ``r`` in lists.
            variance: Variances of the scores, of the same shape; unknown by default.
            is_censored: Which entries are only known to be worse than all of a higher score, of the
                same shape; none by default.
            is_measured: Whether scores are outcomes.
            item: Which row of ``X`` each entry is about, of shape ``r``; all once by default.
            list_index: Which list each entry is in, of shape ``r``; one by default.
            task_index: Which task each entry belongs to, of shape ``r``; one by default.
            is_draw: Of which entries an equal score says that neither is better, of shape ``r``;
                none by default.

        Returns:
            The order.
        """
        zero = torch.zeros_like(score, dtype=torch.long)
        return cls(
            X=X,
            item=torch.arange(len(X), device=X.device) if item is None else item,
            score=score,
            variance=torch.full_like(score, torch.nan) if variance is None else variance,
            list_index=zero if list_index is None else list_index,
            task_index=zero if task_index is None else task_index,
            is_censored=zero.bool() if is_censored is None else is_censored,
            is_measured=torch.full_like(zero, is_measured, dtype=torch.bool),
            is_draw=zero.bool() if is_draw is None else is_draw,
            judge_noise=torch.ones_like(score),
        )

    @classmethod
    def from_rankings(cls, X: Tensor, items: Tensor, score: Tensor) -> Self:
        """Lists of one length and one task, where a tie says that neither is known to be better.

        Args:
            X: Distinct points, an ``m x d`` tensor, some of which may be in no list.
            items: Which row of ``X`` each entry of the ``l`` lists is about, an ``l x k`` tensor.
            score: What to sort each list by, larger being better, an ``l x k`` tensor.

        Returns:
            The order of the points that are in a list.
        """
        used, item = items.flatten().unique(return_inverse=True)
        lists = torch.arange(len(items), device=X.device).unsqueeze(-1).expand_as(items).flatten()
        has_tie = (score.sort(-1).values.diff(dim=-1) == 0).any(-1, keepdim=True)
        is_draw = has_tie.expand_as(items).flatten()
        X, score = X[used], score.flatten()
        return cls.from_scores(X, score, item=item, list_index=lists, is_draw=is_draw)

    @classmethod
    def without_lists(cls, X: Tensor) -> Self:
        """Distinct points of which nothing is known.

        Args:
            X: Distinct points, an ``m x d`` tensor.

        Returns:
            The order.
        """
        return cls.from_scores(X, X.new_zeros(0), item=torch.zeros(0).to(X.device, torch.long))

    def __repr__(self) -> str:
        """Sizes; the tensors themselves would fill a page."""
        return (
            f"{type(self).__name__}({len(self.X)} points in {self.X.shape[-1]} dimensions, "
            f"{self.num_lists} lists in {self.num_tasks} tasks)"
        )

    @property
    def num_points(self) -> int:
        """The number of distinct points."""
        return len(self.X)

    @cached_property
    def num_lists(self) -> int:
        """The number of lists."""
        return int(self.list_index.max()) + 1 if self.list_index.numel() else 0

    @cached_property
    def num_tasks(self) -> int:
        """The number of tasks."""
        return int(self.task_index.max()) + 1 if self.task_index.numel() else 0

    @cached_property
    def places(self) -> DistinctRows:
        """The distinct scores of each list, by ascending list, worst first."""
        return distinct_rows(self.list_index, self.score)

    @cached_property
    def ranked(self) -> DistinctRows:
        """The distinct points of each task, by ascending task and point."""
        return distinct_rows(self.task_index, self.item)

    @cached_property
    def task_of_list(self) -> Tensor:
        """Which task each list belongs to."""
        first = self.task_index.new_zeros(self.num_lists)
        return first.index_copy(0, self.list_index, self.task_index)

    @cached_property
    def says_nothing(self) -> bool:
        """Whether no entry has a higher score than another of its list."""
        return len(self.places.rows) == self.num_lists

    @cached_property
    def is_exact(self) -> bool:
        """Whether these are outcomes of one list that are known to be without noise."""
        return self.num_lists == 1 and bool((self.variance == 0.0).all())

    def agrees_with(self, other: "Order") -> bool:
        """Whether another order says the same: points, places, outcomes, and no variances.

        Args:
            other: Another order.

        Returns:
            Whether a model of one is a model of the other.
        """
        is_noisy = bool((self.variance > 0).any() or (other.variance > 0).any())
        if is_noisy or self.is_exact != other.is_exact or self.num_lists != other.num_lists:
            return False
        same = ("X", "item", "task_index", "is_censored", "is_measured", "is_draw", "judge_noise")
        if not all(getattr(self, name).equal(getattr(other, name)) for name in same):
            return False
        mine, others = (order.score[order.is_measured] for order in (self, other))
        return mine.equal(others) and self.places.inverse.equal(other.places.inverse)

    def to(self, like: Tensor) -> Self:
        """The order on the device of a tensor; scores keep their precision.

        Args:
            like: A tensor, whose dtype the points take, too.

        Returns:
            The order.
        """
        if self.X.device == like.device and self.X.dtype == like.dtype:
            return self
        entries = (getattr(self, field.name).to(like.device) for field in fields(self)[1:])
        return type(self)(self.X.to(like), *entries)


def combine(*orders: Order) -> Order:
    """Put the lists of several sources side by side, each as a task of its own.

    Assumption: all sources speak of the same order of the points, and each is new evidence. The
    same evaluations passed through two sources would count twice.

    Args:
        orders: Orders of points of the same ``d`` columns, dtype and device.

    Returns:
        All lists, in the order of the arguments.

    Raises:
        BotorchTensorDimensionError: If the points differ in their number of columns.
        InputDataError: If there is no order or something else, or if dtypes or devices differ.
    """
    if not orders:
        raise InputDataError("There is no order to combine. Pass at least one.")
    check_alike(*orders)
    columns = {f.name: [getattr(order, f.name) for order in orders] for f in fields(Order)}
    counted = {"item": "num_points", "list_index": "num_lists", "task_index": "num_tasks"}
    for name, number in counted.items():
        first = accumulate((getattr(order, number) for order in orders), initial=0)
        columns[name] = [index + start for index, start in zip(columns[name], first, strict=False)]
    X, item, *others = map(torch.cat, columns.values())
    distinct = distinct_rows(*X.unbind(-1))
    return Order(points_at(X, distinct.rows), distinct.inverse[item], *others)


def check_alike(*orders: Order) -> None:
    """Check that orders are about points of one space.

    Args:
        orders: The orders.

    Raises:
        BotorchTensorDimensionError: If the points differ in their number of columns.
        InputDataError: If one is something else, or if dtypes or devices differ.
    """
    for order in orders:
        if not isinstance(order, Order):
            raise InputDataError(
                f"A {type(order).__name__} is not an Order. Make orders with the functions of "
                "botorch_popbo.data, and pass several as separate arguments of combine, or to a "
                "model as a list of sources."
            )
    dims = sorted({order.X.shape[-1] for order in orders})
    if len(dims) > 1:
        raise BotorchTensorDimensionError(
            f"The points to combine have {dims} columns. Describe all of them by the same columns."
        )
    kinds = sorted({f"{order.X.dtype} on {order.X.device}" for order in orders})
    if len(kinds) > 1:
        raise InputDataError(
            "Orders to combine must share one dtype and one device, but are "
            f"{' and '.join(kinds)}. Convert the points before ranking, with X.to(...)."
        )
