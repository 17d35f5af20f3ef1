"""The command ``popbo prefer``: judges answer in a terminal or on a page."""

import re
import tomllib
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._errors import UsageError, library
from botorch_popbo.judging._drawer import Drawer
from botorch_popbo.judging._words import NUM_RANKED, describe, how_sure
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Space

if TYPE_CHECKING:
    from botorch_popbo.judging._page import Page

_HELP = """\
  2      the second is the best
  2 1    the second is the best, then the first, then those that are not named
  =      no difference
  n      next: all are good, or none is; nothing is said of them
  u      undo the last answer
  h      history of answers
  q      quit; the same command goes on"""
_SHOW = re.compile(r"(?P<path>.+\.py):(?P<name>\w+)")


def prefer(options: Namespace) -> int:
    """Ask until the judges leave; every answer is on disk before the next question."""
    space, show = (None, None) if options.file is None else read_file(options.file, options.limit)
    if options.page:
        if space is None:
            raise UsageError("a page needs a FILE that says what is to be compared")
        search = _begin(options, space, None)
        page = library("botorch_popbo.judging._page", "a page", "judges")
        with page.open_page(options, search, show) as medium:
            interview(medium)
            medium.keep_pictures()
        return 0
    if options.judges or options.port:
        raise UsageError("--judges and --port are about a page; add --page")
    if options.state is None and options.file is None:
        raise UsageError("name a FILE that says what is to be compared, or a --state to go on with")
    state = options.state or options.file.with_name(f"{options.file.stem}-answers.json")
    interview(Terminal(_begin(options, space, state), state))
    return 0


def interview(medium: "Terminal | Page") -> None:
    """Ask until the judges leave; then say what is best."""
    number, is_told = medium.space.num_points, False
    while True:
        if medium.has_shown_all() and not is_told:
            is_told = True
            print(f"\nall {number} things were compared; {medium.after_all}", flush=True)
        medium.show()
        if not medium.is_answered():
            break
    for place, line in enumerate(medium.best(), start=1):
        print(f"{place}. {line}")


def read_file(path: Path, limit: float) -> tuple[Space, Callable[[Path], Drawer] | None]:
    """Read what is to be compared; raises UsageError.

    Args:
        path: A TOML file with a table for each parameter, and perhaps the function that shows them.
        limit: Seconds that it may take to show one.

    Returns:
        The space, and what makes, for a folder, what draws there.
    """
    try:  # some editors begin a file with a mark of the byte order
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        show = content.pop("show") if isinstance(content.get("show"), str) else None
        space = Space.read(content)
    except (OSError, ValueError, InputDataError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read the space {path}: {reason}") from None
    if show is None:
        return space, None
    match = _SHOW.fullmatch(show)
    if match is None or not (file := path.parent / match["path"]).is_file():
        raise UsageError(f'show is a file and a function, as in "draw.py:render", not {show!r}')
    return space, partial(Drawer, file, match["name"], limit=limit)


def _begin(options: Namespace, space: Space | None, state: Path | None) -> PreferenceSearch:
    """A new search, or the one of a file; raises UsageError if it is about something else."""
    asked = {"num_items": options.items, "seed": options.seed}
    given = {name: value for name, value in asked.items() if value is not None}
    try:
        if state is None or not state.exists():
            if space is None:
                raise UsageError(f"there is no {state}; begin with a FILE")
            return PreferenceSearch(space.to_json(), **given)
        search = PreferenceSearch.load(state)
    except InputDataError as error:
        raise UsageError(str(error)) from None
    if space is not None and space.key != search.space.key:
        raise UsageError(f"{state} is about another space than {options.file}")
    for name, value in given.items():
        if (before := getattr(search, name)) != value:
            option = name.removeprefix("num_")
            raise UsageError(f"{state} was begun with --{option} {before}, not {value}")
    return search


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
            elif self._takes(items, typed):
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

    def _takes(self, items: Tensor, typed: str) -> bool:
        """Tell the search what was typed, if it is an answer or takes the last one back."""
        if typed == "u":
            self._search.undo()
            return True
        places = [] if typed in ("=", "n") else re.split("[ ,>]+", typed.strip(",> "))
        try:
            ranking = None if typed == "=" else [int(place) - 1 for place in places]
            self._search.tell(items, ranking=ranking)
        except (ValueError, InputDataError):  # there are fewer things, or one is named twice
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
