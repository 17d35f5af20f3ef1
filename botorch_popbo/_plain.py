"""Numbers of NumPy and PyTorch as Python's own, which can be stored and are seeds."""

from operator import index
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """What NumPy's scalars stand for; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def whole(value: Any) -> int | None:
    """A whole number; ``None`` if the value is none, as truth values are none."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None
