"""Parameters in words, for a terminal and a page."""

import math

from torch import Tensor

from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Parameter, Space

NUM_RANKED = 5  # of the best, named at the end
_LONGEST = 60  # letters of a name or a choice


def describe(space: Space, item: Tensor) -> list[str]:
    """A text for each parameter of a point, without constants."""
    values, parameters = space.decode(item), space.parameters.items()
    return [f"{_printable(name)} {_value(p, values[name])}" for name, p in parameters]


def num_left(search: PreferenceSearch) -> int:
    """How many answers there are until the chance of the champion means something.

    It is calibrated from about twenty on (docs/results/judges.md); a design alone says little.
    """
    return max(0, 3 * search.num_initial - search.interview.num_compared)


def shown_chance(search: PreferenceSearch) -> float | None:
    """How sure it is that nothing is better than the champion, where that means something."""
    return None if num_left(search) and not search.is_complete else search.best.chance


def _value(parameter: Parameter, value: object) -> str:
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
