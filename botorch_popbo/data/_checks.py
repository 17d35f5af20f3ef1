"""Checks of points and outcomes, with messages that say what to do."""

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

#: What points may be. Half precision has no distances on the CPU.
DTYPES = (torch.float32, torch.float64)


def check_outcomes(X: Tensor, Y: Tensor) -> None:
    """Check evaluated points with one outcome each.

    Args:
        X: Evaluated points, to be an ``N x d`` tensor.
        Y: Outcomes, to be an ``N x 1`` or ``N`` tensor.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If one is no tensor, if dtypes or devices differ, if ``X`` or ``Y`` holds
            NaN, if ``X`` is not finite, or if an outcome is plus infinity.
    """
    check_tensors(X, Y)
    if not is_table(X) or Y.shape not in ((X.shape[0], 1), (X.shape[0],)):
        raise BotorchTensorDimensionError(
            "Expected train_X of shape N x d and train_Y of shape N x 1, but got "
            f"{tuple(X.shape)} and {tuple(Y.shape)}. Outcomes of several objectives must be "
            "reduced to one column before ranking, or ranked with from_objectives."
        )
    check_values(X, Y)


def check_tensors(X: Tensor, Y: Tensor) -> None:
    """Check that points and outcomes are tensors, before anything is asked of them.

    Args:
        X: Evaluated points.
        Y: Outcomes.

    Raises:
        InputDataError: If one is something else.
    """
    check_tensor(X, "train_X")
    check_tensor(Y, "train_Y")


def check_tensor(values: Tensor, name: str) -> None:
    """Check that values are a tensor.

    Args:
        values: What should be one.
        name: What to call them in the message.

    Raises:
        InputDataError: If they are something else.
    """
    if not isinstance(values, Tensor):
        own = name.removeprefix("train_")
        tensor = f"torch.as_tensor({own})"
        if hasattr(values, "to_numpy"):  # torch cannot read pandas, and may not write to it
            tensor = f"torch.tensor({own}.to_numpy())"
        raise InputDataError(f"{name} is a {type(values).__name__}, no tensor. Pass {tensor}.")


def check_values(X: Tensor, Y: Tensor) -> None:
    """Check the kind and values of evaluated points and outcomes of any number of objectives.

    Args:
        X: Evaluated points.
        Y: Outcomes.

    Raises:
        InputDataError: As in :func:`check_outcomes`.
    """
    check_same_kind(X, Y, "train_Y")
    check_finite(X, "train_X")
    if bool(Y.isnan().any()):
        raise InputDataError(
            "train_Y holds NaN. Drop those rows, or set them to -inf to rank a failed evaluation "
            "below every success."
        )
    if bool(Y.isposinf().any()):
        raise InputDataError(
            "train_Y holds +inf, which would rank above every point. If it marks a failure, use "
            "-inf: larger outcomes are better."
        )


def is_table(X: Tensor) -> bool:
    """Whether there is one row for each point and at least one column.

    Args:
        X: Points.

    Returns:
        Whether the shape is ``N x d`` with positive ``d``.
    """
    return X.ndim == 2 and X.shape[1] > 0


def check_same_kind(X: Tensor, values: Tensor, name: str) -> None:
    """Check that values live where the points live.

    Args:
        X: Points.
        values: What is known of them.
        name: What to call the values in the message.

    Raises:
        InputDataError: If the two do not share one floating-point dtype and one device.
    """
    if X.dtype not in DTYPES:
        raise InputDataError(
            f"train_X holds {X.dtype}, but points are of single or double precision. Pass "
            "X.double()."
        )
    if X.dtype != values.dtype or X.device != values.device:
        raise InputDataError(
            f"train_X and {name} must share one floating-point dtype and one device, but are "
            f"{X.dtype} on {X.device} and {values.dtype} on {values.device}. Convert one with "
            f"{name.removeprefix('train_')}.to(X)."
        )


def check_finite(X: Tensor, name: str) -> None:
    """Check coordinates.

    Args:
        X: Points.
        name: What to call them in the message.

    Raises:
        InputDataError: If a coordinate is NaN or infinite.
    """
    if not bool(X.isfinite().all()):
        raise InputDataError(f"{name} holds NaN or infinite values. Remove or repair those rows.")


def check_two_points(num_points: int) -> None:
    """Check that there is something to compare.

    Args:
        num_points: Number of distinct points.

    Raises:
        InputDataError: If there are fewer than two.
    """
    if num_points < 2:
        raise InputDataError(
            f"A rank needs two distinct points to compare, but train_X holds {num_points}. "
            "Evaluate more points, for example a Sobol or uniform initial design."
        )
