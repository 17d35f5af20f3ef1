"""Numbers of NumPy and PyTorch as Python's own, which can be stored and are seeds."""

from operator import index
from typing import Any, TypeGuard

import numpy as np

#: A value of a parameter: a number, a text or a truth value; Optuna allows more.
Value = Any


def plain(value: Value) -> Value:
    """What NumPy's scalars stand for; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def whole(value: Value) -> int | None:
    """A whole number; ``None`` if the value is none, as truth values are none."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def as_float(value: Value) -> float | None:
    """A number, or the only one of an array or tensor; ``None`` if there is none, as in text."""
    if np.ma.is_masked(value):  # which as a number is zero, or what is hidden
        return None
    try:
        # Of a tensor with gradients or on a GPU NumPy cannot tell whether it is complex.
        number = value.item() if hasattr(value, "item") else value
        return None if isinstance(number, (str, bytes)) else float(number)
    # Of a tensor of several elements it is a RuntimeError.
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def is_standard_error(number: float | None) -> TypeGuard[float]:
    """Whether a number is a standard error; NaN stands for one that is unknown."""
    return number is not None and not (number < 0.0 or number > 1e154)  # its square is a number
