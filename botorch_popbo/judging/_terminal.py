"""Judges answer in a terminal: ``popbo prefer FILE``."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._errors import UsageError
from botorch_popbo.judging._words import NUM_RANKED, describe, how_sure
from botorch_popbo.preference_search import PreferenceSearch

_HELP = """\
  2      the second is the best
  2 1    the second is the best, then the first, then those that are not named
  =      no difference
  n      next: all are good, or none is; nothing is said of them
  u      undo the last answer
  h      history of answers
  q      quit; the same command goes on"""
_PLACES = re.compile(r"(?:\d{1,9}(?:[ ,>]+|$))+")


class Terminal:
    """Questions and answers in words; every answer is on disk before the next question.

    Args:
        search: The search.
        state: The file of the answers.
    """

    after_all = "questions repeat now"

    def __init__(self, search: PreferenceSearch, state: Path) -> None:
        self.space, self._search, self._state = search.space, search, state
        if not state.exists():  # before the first answer, as a folder may be missing
            search.save(state)
        self._saved = state.read_bytes()
        answers = "1 answer" if search.num_answers == 1 else f"{search.num_answers} answers"
        print(f"{answers} so far; ? explains what can be answered")

    def has_shown_all(self) -> bool:
        """Whether every thing of the space was compared."""
        return len(self._search.X.unique(dim=0)) >= self.space.num_points

    def show(self) -> None:
        """Print the next question."""
        # After nothing but ties there is nothing to learn from yet.
        with warnings.catch_warnings(action="ignore", category=InputDataWarning):
            items = self._search.ask()
            best = self.best()
        print(f"\nquestion {self._search.num_answers + 1}")
        if best:
            print(f"  so far the best: {best[0]}")
        for place, item in enumerate(items, start=1):
            print(f"  {place}: {self._text(item)}")

    def is_answered(self) -> bool:
        """Wait for an answer, or until the last one is taken back; false at the end."""
        items = self._search.ask()
        while True:
            try:
                typed = input(f"which is the best, 1 to {len(items)}, = or ?  ").strip().lower()
            except (EOFError, KeyboardInterrupt):
                print()
                return False
            if typed == "q":
                return False
            if typed == "?":
                print(_HELP)
            elif typed == "h":
                print("\n".join(self._history()) or "no answers yet")
            elif typed == "u" and not self._search.num_answers:
                print("there is no answer to undo")
            elif self._is_told(items, typed):
                self._save()
                return True
            else:
                places = f"from 1 to {len(items)}"
                print(f"{typed!r} is no answer: type the number of the best, {places}, or ?")

    def best(self) -> list[str]:
        """The best things in words, the champion first; none before anything was compared."""
        is_compared = any(answer.says_something for answer in self._search.answers)
        ranking = self._search.ranking if is_compared else []
        return [
            f"{self._text(best.x)} {how_sure(self.space, best.chance, len(ranking))}"
            for best in ranking[:NUM_RANKED]
        ]

    def _is_told(self, items: Tensor, typed: str) -> bool:
        """Tell the search what was typed, if it is an answer or takes the last one back."""
        if typed == "u":
            self._search.undo()
            return True
        if typed not in ("=", "n") and not _PLACES.fullmatch(typed):
            return False
        places = [int(place) - 1 for place in re.findall(r"\d+", typed)]
        try:
            self._search.tell(items, ranking=None if typed == "=" else places)
        except InputDataError:  # there are fewer things, or one is named twice
            return False
        return True

    def _save(self) -> None:
        if not self._state.exists() or self._state.read_bytes() != self._saved:
            raise UsageError(  # never over answers of somebody else
                f"{self._state} was changed by another program, and the last answer is not in it; "
                "give the same command again to go on"
            )
        self._search.save(self._state)
        self._saved = self._state.read_bytes()

    def _history(self) -> Iterator[str]:
        for place, answer in enumerate(self._search.answers, start=1):
            pairs = [f"{one + 1} > {other + 1}" for one, other in answer.better]
            pairs += [f"{one + 1} = {other + 1}" for one, other in answer.equal]
            yield f"question {place}: {', '.join(pairs) or 'nothing said'}"
            for row, item in enumerate(answer.items, start=1):
                yield f"  {row}: {self._text(item)}"

    def _text(self, item: Tensor) -> str:
        return ", ".join(describe(self.space, self.space.decode(item)))
