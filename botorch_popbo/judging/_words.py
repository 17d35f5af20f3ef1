"""Parameters in words, for a terminal and a page."""

import math
from collections.abc import Mapping
from typing import Any

from botorch_popbo.space import Parameter, Space

NUM_RANKED = 5  # of the best, told at the end
_LONGEST = 60  # letters of a name or a choice


def said_of(space: Space, values: Mapping[str, Any]) -> list[str]:
    """A text for each parameter, without constants."""
    own = space.parameters.items()
    return [f"{_printable(name)} {_value(p, values[name])}" for name, p in own]


def _value(parameter: Parameter, value: Any) -> str:
    if parameter.step is not None:
        return _printable(f"{value:.12g}" if isinstance(value, float) else str(value))
    # Four digits of the width, without which two things of a narrow range look the same.
    low, high = parameter.low, parameter.high
    farthest = max(abs(low), abs(high)) / (high - low)
    return f"{value:.{4 + math.ceil(math.log10(max(farthest, 1.0)))}g}"


def _printable(text: str) -> str:
    """Nothing that moves the cursor of a terminal, and no more than a line."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
