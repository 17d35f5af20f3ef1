"""Order and equality of rows given by their columns, exact and in O(N log N)."""

from typing import NamedTuple

import torch
from botorch.exceptions import InputDataError
from torch import Tensor


class DistinctRows(NamedTuple):
    """The ``m`` distinct ones of ``N`` rows, in lexicographic order.

    Args:
        rows: Index of one copy of each distinct row, of shape ``m``.
        inverse: Which distinct row each row is a copy of, of shape ``N``.
        copies: Number of copies of each distinct row, of shape ``m``.
    """

    rows: Tensor
    inverse: Tensor
    copies: Tensor


def lexicographic_order(*columns: Tensor) -> Tensor:
    """Sort rows by their first column, equal ones by the second, and so on.

    Args:
        columns: The columns of the rows, at least one, each of shape ``N`` and without NaN.

    Returns:
        The indices that sort the rows, of shape ``N``; equal rows stay in their order.
    """
    order = torch.arange(len(columns[0]), device=columns[0].device)
    for column in reversed(columns):
        order = order[(column[order] + 0).sort(stable=True).indices]  # -0.0 + 0 is 0.0
    return order


def distinct_rows(*columns: Tensor) -> DistinctRows:
    """Find equal rows. The two zeros are equal.

    Args:
        columns: The columns of the rows, at least one, each of shape ``N`` and without NaN.

    Returns:
        The distinct rows in lexicographic order.
    """
    order = lexicographic_order(*columns)
    is_new = torch.ones_like(order, dtype=torch.bool)
    is_new[1:] = False
    for column in columns:
        values = column[order]
        is_new[1:] |= values[1:] != values[:-1]
    inverse = torch.empty_like(order)
    inverse[order] = is_new.cumsum(0) - 1
    first = is_new.nonzero().squeeze(-1)
    copies = first.diff(append=first.new_tensor([order.shape[0]]))
    return DistinctRows(order[first], inverse, copies)


def is_row_of(X: Tensor, others: Tensor) -> Tensor:
    """Which rows are equal to one of some others. The two zeros are equal.

    Args:
        X: An ``N x d`` tensor.
        others: An ``m x d`` tensor.

    Returns:
        A boolean tensor of shape ``N``.
    """
    known = set(map(tuple, others.tolist()))
    return torch.tensor([tuple(x) in known for x in X.tolist()], dtype=torch.bool, device=X.device)


def points_at(X: Tensor, rows: Tensor) -> Tensor:
    """Rows of ``X`` for a data set, free of gradients and of negative zeros.

    Args:
        X: Points, an ``N x d`` tensor.
        rows: Indices, of shape ``m``.

    Returns:
        Points, an ``m x d`` tensor.
    """
    return X.detach()[rows] + 0  # -0.0 + 0 is 0.0


def distinct_points(X: Tensor) -> tuple[Tensor, DistinctRows]:
    """Distinct points to be ranked.

    Args:
        X: Points, an ``N x d`` tensor.

    Returns:
        The ``m`` points in lexicographic order, ``m x d``, and where they come from.

    Raises:
        InputDataError: If there are fewer than two.
    """
    distinct = distinct_rows(*X.unbind(-1))
    if len(distinct.rows) < 2:
        raise InputDataError(
            "A rank needs two distinct points to compare, but train_X holds "
            f"{len(distinct.rows)}. Evaluate more points, for example a Sobol or uniform initial "
            "design."
        )
    return points_at(X, distinct.rows), distinct


def detach_fields(record: object) -> None:
    """Drop the gradients of a frozen dataclass of tensors: a model of them could not be copied.

    Args:
        record: The dataclass, as its constructor leaves it.
    """
    for name, values in vars(record).items():
        object.__setattr__(record, name, values.detach())
