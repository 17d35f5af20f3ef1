"""All checks of points, outcomes and indices, with messages that say what to do."""

from collections.abc import Sequence

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

#: What points may be. Half precision has no distances on the CPU.
DTYPES = (torch.float32, torch.float64)


def check_outcomes(X: Tensor, Y: Tensor, several: bool = False) -> None:
    """Check evaluated points with their outcomes.

    Args:
        X: Evaluated points, to be an ``N x d`` tensor.
        Y: Outcomes, to be an ``N x 1`` or ``N`` tensor.
        several: Whether there are several objectives, so that ``Y`` is to be ``N x m``.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If one is not a tensor, if dtypes or devices differ, if ``X`` or ``Y`` holds
            NaN, if ``X`` is not finite, or if an outcome is plus infinity.
    """
    check_tensor(X, "train_X")
    check_tensor(Y, "train_Y")
    fits = Y.ndim == 2 and Y.shape[1] > 0 if several else Y.shape[1:] in ((), (1,))
    if X.ndim != 2 or not X.shape[1] or not fits or len(Y) != len(X):
        shape = "N x m with one column for each objective" if several else "N x 1"
        raise BotorchTensorDimensionError(
            f"Expected train_X of shape N x d and train_Y of shape {shape}, but got "
            f"{tuple(X.shape)} and {tuple(Y.shape)}. Outcomes of several objectives must be "
            "reduced to one column before ranking, or ranked with from_objectives. For several "
            "data sets, such as folds, make a model of each."
        )
    check_same_kind(X, Y, "train_Y")
    _check_finite(X, "train_X")
    if bool(Y.isnan().any()):
        raise InputDataError(
            "train_Y holds NaN. Drop those rows, or set them to -inf if evaluations failed."
        )
    if bool(Y.isposinf().any()):
        raise InputDataError(
            "train_Y holds +inf, which would rank above every point. If it marks a failure, use "
            "-inf: larger outcomes are better."
        )


def check_items(X: Tensor) -> None:
    """Check points that are named by their index.

    Args:
        X: Items, to be an ``N x d`` tensor.

    Raises:
        BotorchTensorDimensionError: If ``X`` does not have two dimensions and a column.
        InputDataError: If ``X`` is not of single or double precision or not finite.
    """
    check_tensor(X, "X")
    if X.ndim != 2 or not X.shape[1]:
        raise BotorchTensorDimensionError(
            f"Expected X of shape N x d, one row for each item, but got {tuple(X.shape)}."
        )
    _check_precision(X, "X")
    _check_finite(X, "X")


def are_comparisons(Y: object) -> bool:
    """Whether these are pairs of indices, as :class:`~botorch.models.PairwiseGP` takes them."""
    return isinstance(Y, Tensor) and not Y.is_floating_point() and Y.shape[1:] == (2,)


def check_tensor(values: object, name: str) -> None:
    """Check that values are a tensor.

    Args:
        values: What should be one.
        name: What to call them in the message.

    Raises:
        InputDataError: If they are something else.
    """
    if not isinstance(values, Tensor):
        argument = name.removeprefix("train_")
        tensor = f"torch.as_tensor({argument})"
        if hasattr(values, "to_numpy"):  # torch cannot read pandas, and may not write to it
            tensor = f"torch.tensor({argument}.to_numpy())"
        raise InputDataError(f"{name} must be a tensor, not {type(values).__name__}: {tensor}.")


def check_same_kind(X: Tensor, values: Tensor, name: str) -> None:
    """Check that values live where the points live.

    Args:
        X: Points.
        values: What is known of them.
        name: What to call the values in the message.

    Raises:
        InputDataError: If the two do not share one floating-point dtype and one device.
    """
    _check_precision(X, "train_X")
    if X.dtype != values.dtype or X.device != values.device:
        raise InputDataError(
            f"train_X and {name} must share one floating-point dtype and one device, but are "
            f"{X.dtype} on {X.device} and {values.dtype} on {values.device}. Convert one with "
            f"{name.removeprefix('train_')}.to(X)."
        )


def check_column(values: Tensor, X: Tensor, name: str) -> None:
    """Check that there is one value for each point.

    Args:
        values: What is known of the points, to be of shape ``N x 1`` or ``N``.
        X: Points, an ``N x d`` tensor.
        name: What to call the values in the message.

    Raises:
        BotorchTensorDimensionError: If the shape is another one.
        InputDataError: If it is not a tensor.
    """
    check_tensor(values, name)
    if values.shape not in ((len(X), 1), (len(X),)):
        raise BotorchTensorDimensionError(
            f"Expected {name} of shape N x 1, a value for each of the {len(X)} rows of train_X, "
            f"but got {tuple(values.shape)}."
        )


def check_integers(values: Tensor, X: Tensor, name: str) -> None:
    """Check labels or indices.

    Args:
        values: What should be integers.
        X: Points, on whose device they should be.
        name: What to call the values in messages.

    Raises:
        InputDataError: If they are on another device or are not integers.
    """
    if values.device != X.device:
        raise InputDataError(
            f"{name} must be on the device of X, but is on {values.device} and X on {X.device}. "
            f"Move it with {name}.to(X.device)."
        )
    is_mask = values.dtype == torch.bool
    if values.is_floating_point() or values.is_complex() or is_mask:
        raise InputDataError(
            f"{name} must hold integers, but is of dtype {values.dtype}. Convert it with "
            f"{name}.{'nonzero().squeeze(-1)' if is_mask else 'long()'}."
        )


def as_indices(
    indices: Tensor | Sequence[int], X: Tensor, name: str, in_pairs: bool = False
) -> Tensor:
    """Check indices of items.

    Args:
        indices: Indices of rows of ``X``, to be of shape ``m``.
        X: Items, an ``N x d`` tensor.
        name: What to call the indices in messages.
        in_pairs: Whether they are to be ``m x 2``.

    Returns:
        The indices as a long tensor on the device of ``X``.

    Raises:
        BotorchTensorDimensionError: If they have another shape.
        InputDataError: If they are on another device, are not integers or are not rows of ``X``.
    """
    if in_pairs:
        check_tensor(indices, name)
    if not isinstance(indices, Tensor):
        values = list(indices)
        indices = torch.tensor(values, dtype=None if values else torch.long, device=X.device)
    if indices.ndim != 1 + in_pairs or (in_pairs and indices.shape[1] != 2):
        shape = "m x 2, a pair" if in_pairs else "m, a list"
        raise BotorchTensorDimensionError(
            f"Expected {name} of shape {shape} of row indices of X, but got the shape "
            f"{tuple(indices.shape)}."
        )
    check_integers(indices, X, name)
    outside = (indices < 0) | (indices >= X.shape[0])
    if bool(outside.any()):
        raise InputDataError(
            f"{name} holds the index {int(indices[outside][0])}, which is out of range: X has "
            f"{X.shape[0]} rows, counted from 0."
        )
    return indices.long()


def _check_precision(X: Tensor, name: str) -> None:
    if X.dtype not in DTYPES:
        raise InputDataError(
            f"{name} holds {X.dtype}, not single or double precision. Pass X.double()."
        )


def _check_finite(X: Tensor, name: str) -> None:
    if not bool(X.isfinite().all()):
        raise InputDataError(f"{name} holds NaN or infinite values. Remove or repair those rows.")
