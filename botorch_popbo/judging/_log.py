"""The answers of judges in a file."""

import math
import re
from copy import copy
from pathlib import Path
from random import Random

from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo._errors import UsageError
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.search.answers import Answer, Best
from botorch_popbo.space import Parameter, Space

NUM_RANKED = 5  # of the best, named at the end
_LONGEST = 60  # letters of a name or a choice


class Log:
    """A search whose every answer is in a file before the next question.

    Args:
        search: The search.
        path: Its file, which is written if there is none.

    Attributes:
        search: The search with the answers of the file.
        path: The file.
    """

    def __init__(self, search: PreferenceSearch, path: Path) -> None:
        self.search, self.path = search, path
        if not path.exists():  # before the first answer, as a folder may be missing
            search.save(path)
        self._saved = path.read_bytes()

    def tell(self, items: Tensor, said: str, judge: str = "") -> bool:
        """Keep an answer, unless it is none: whether it is kept.

        Args:
            items: The points that were shown, an ``m x d`` tensor.
            said: Places of the best ones, from 1 on, or ``=`` if there is no difference, or ``n``
                if nothing can be said.
            judge: Who said so.

        Raises:
            UsageError: If another program changed the file.
            OSError: If it cannot be written.
        """
        search = copy(self.search)
        try:
            if said == "=":
                search.tell(items, winner=None, judge=judge)
            else:
                places = [] if said == "n" else re.split("[ ,>]+", said.strip(",> "))
                search.tell(items, ranking=[int(place) - 1 for place in places], judge=judge)
        except (ValueError, InputDataError):  # there are fewer things, or one is named twice
            return False
        self._keep(search)
        return True

    def undo(self, judge: str | None = None) -> Answer | None:
        """Take back the last answer of a judge, or of all; what it was, or ``None`` if none is."""
        given = [answer for answer in self.search.answers if judge in (None, answer.judge)]
        if not given:
            return None
        search = copy(self.search)
        search.undo(judge)
        self._keep(search)
        return given[-1]

    def ranking(self) -> list[Best]:
        """The best points, the champion first; none before anything was compared."""
        return self.search.ranking if self.search.interview.num_compared else []

    def best(self) -> list[str]:
        """The best things in words, the champion first; none before anything was compared."""
        chance = shown_chance(self.search)
        sure = "too early to say how sure" if chance is None else f"{chance:.0%} sure"
        texts = [self.text(best.x) for best in self.ranking()[:NUM_RANKED]]
        return [f"{text} ({sure})" for text in texts[:1]] + texts[1:]

    def text(self, item: Tensor) -> str:
        """A point in words."""
        return ", ".join(describe(self.search.space, item))

    def _keep(self, search: PreferenceSearch) -> None:
        """Write the file; where that fails nothing has changed."""
        if not self.path.exists() or self.path.read_bytes() != self._saved:
            raise UsageError(  # never over answers of somebody else
                f"{self.path} was changed by another program, and the last answer is not in it; "
                "rerun the command to resume"
            )
        search.save(self.path)
        self.search, self._saved = search, self.path.read_bytes()


def describe(space: Space, item: Tensor) -> list[str]:
    """A text for each parameter of a point, without constants."""
    values, parameters = space.decode(item), space.parameters.items()
    return [f"{_printable(name)} {_value(p, values[name])}" for name, p in parameters]


def shuffled(question: Tensor, search: PreferenceSearch) -> Tensor:
    """The points of a question, so that the champion is not always the first."""
    return question[Random(search.num_answers).sample(range(len(question)), len(question))]


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
