"""Parameters in words, for a terminal and a page."""

import math
from collections.abc import Mapping

from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Parameter, Space

NUM_RANKED = 5  # of the best, named at the end
_LONGEST = 60  # letters of a name or a choice


def describe(space: Space, values: Mapping[str, object]) -> list[str]:
    """A text for each parameter, without constants."""
    parameters = space.parameters.items()
    return [f"{_printable(name)} {_value(p, values[name])}" for name, p in parameters]


def how_sure(space: Space, chance: float, number: int) -> str:
    """How sure it is that nothing is better, of so many things that were compared.

    The chance is about these alone. It is right from the first answer on, about 93 % then, but a
    reader takes it to be about the whole space. There the champion was the best, up to the noise of
    an answer, after 1, 6 and 12 answers in 22, 33 and 64 % of 36 simulated interviews of two and
    three parameters. So it is said once there was a design of the space, or all of it.
    """
    enough = SearchSettings().questions_of_design(len(space.parameters))
    if number <= min(enough, space.num_points - 1):
        return "(too early to say how sure)"
    return f"({chance:.0%} sure that none of {number} is better)"


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
