"""Checks of items that feedback names by their index."""

from collections.abc import Sequence

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo.data._checks import DTYPES, check_finite, check_tensor, is_table


def check_items(X: Tensor) -> None:
    """Check the items that indices refer to.

    Args:
        X: Items, to be an ``N x d`` tensor.

    Raises:
        BotorchTensorDimensionError: If ``X`` does not have two dimensions and a column.
        InputDataError: If ``X`` is not of single or double precision or not finite.
    """
    check_tensor(X, "X")
    if not is_table(X):
        raise BotorchTensorDimensionError(
            f"Expected X of shape N x d, one row for each item, but got {tuple(X.shape)}."
        )
    if X.dtype not in DTYPES:
        raise InputDataError(
            f"X must be of single or double precision, but is {X.dtype}. Convert it with "
            "X.double()."
        )
    check_finite(X, "X")


def as_indices(indices: Tensor | Sequence[int], X: Tensor, name: str) -> Tensor:
    """Check indices of items.

    Args:
        indices: Indices of rows of ``X``, in any shape.
        X: Items, an ``N x d`` tensor.
        name: What to call the indices in messages.

    Returns:
        The indices as a long tensor on the device of ``X``.

    Raises:
        InputDataError: If they are on another device, are not integers or name no row of ``X``.
    """
    if not isinstance(indices, Tensor):
        values = list(indices)
        dtype = None if values else torch.long
        indices = torch.tensor(values, dtype=dtype, device=X.device)
    if indices.device != X.device:
        raise InputDataError(
            f"{name} must be on the device of X, but is on {indices.device} and X on {X.device}. "
            f"Move it with {name}.to(X.device)."
        )
    is_mask = indices.dtype == torch.bool
    if indices.is_floating_point() or indices.is_complex() or is_mask:
        integers = f"{name}.nonzero().squeeze(-1)" if is_mask else f"{name}.long()"
        raise InputDataError(
            f"{name} must hold integer indices of rows of X, but is of dtype {indices.dtype}. "
            f"Convert it with {integers}."
        )
    outside = (indices < 0) | (indices >= X.shape[0])
    if bool(outside.any()):
        raise InputDataError(
            f"{name} holds the index {int(indices[outside][0])}, which is out of range: X has "
            f"{X.shape[0]} rows, counted from 0."
        )
    return indices.long()


def as_list(indices: Tensor | Sequence[int], X: Tensor, name: str) -> Tensor:
    """Check a list of items; see :func:`as_indices`.

    Args:
        indices: Indices of rows of ``X``, to be of one dimension.
        X: Items, an ``N x d`` tensor.
        name: What to call the indices in messages.

    Returns:
        The indices as a long tensor on the device of ``X``.

    Raises:
        BotorchTensorDimensionError: If there is not one dimension.
        InputDataError: As in :func:`as_indices`.
    """
    checked = as_indices(indices, X, name)
    if checked.ndim != 1:
        raise BotorchTensorDimensionError(
            f"Expected {name} of one dimension, a list of row indices of X, but got the shape "
            f"{tuple(checked.shape)}."
        )
    return checked
