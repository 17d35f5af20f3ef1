"""A person answers: ``popbo prefer``."""

import re
import tomllib
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._errors import UsageError, library
from botorch_popbo.judging._drawer import Drawer
from botorch_popbo.judging._words import NUM_RANKED, said_of, sure
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Space

_HELP = """\
  2      the second is the best
  2 1    the second is the best, then the first, then those that are not named
  =      no difference
  n      next: all are good, or none is; nothing is said of them
  u      undo the last answer
  h      history of answers
  q      quit; the same command goes on"""
_SHOW = re.compile(r"(?P<path>.+\.py):(?P<name>\w+)")
_PLACES = re.compile(r"(?:\d{1,9}(?:[ ,>]+|$))+")
#: What is told of what is typed, beside places.
_MEANINGS: dict[str, list[int] | None] = {"=": None, "n": []}


def prefer(options: Namespace) -> int:
    """Ask until the person leaves; every answer is on disk before the next question."""
    space, show = (None, None) if options.file is None else read_file(options.file, options.limit)
    if options.page:
        if space is None:
            raise UsageError("a page needs a FILE that says what is to be compared")
        search = _begin(options, space, None)
        library("botorch_popbo.judging._page", "a page", "judges").ask(options, search, show)
        return 0
    if options.judges or options.port:
        raise UsageError("--judges and --port are about a page; add --page")
    if options.state is None and options.file is None:
        raise UsageError("name a FILE that says what is to be compared, or a --state to go on with")
    state = options.state or options.file.with_name(f"{options.file.stem}-answers.json")
    _interview(_begin(options, space, state), state)
    return 0


def read_file(path: Path, limit: float) -> tuple[Space, Callable[[Path], Drawer] | None]:
    """Read what is to be compared; raises UsageError.

    Args:
        path: A TOML file with a table for each parameter, and perhaps the function that shows them.
        limit: Seconds that it may take to show one.

    Returns:
        The space, and what makes, for a folder, what draws there.
    """
    try:  # some editors begin a file with a mark of the byte order
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        reference = said.pop("show") if isinstance(said.get("show"), str) else None
        space = Space.read(said)
    except (OSError, ValueError, InputDataError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read the space {path}: {reason}") from None
    if reference is None:
        return space, None
    found = _SHOW.fullmatch(reference)
    if found is None or not (file := path.parent / found["path"]).is_file():
        raise UsageError(
            f'show is a file and a function, as in "draw.py:render", not {reference!r}'
        )
    return space, partial(Drawer, file, found["name"], limit=limit)


def _begin(options: Namespace, space: Space | None, state: Path | None) -> PreferenceSearch:
    asked = {"num_items": options.items, "seed": options.seed}
    given = {name: value for name, value in asked.items() if value is not None}
    try:
        if state is not None and state.exists():
            search = PreferenceSearch.load(state)
            if space is not None and space.key != search.space.key:
                raise UsageError(f"{state} is about another space than {options.file}")
            for name, value in given.items():
                if (was := getattr(search, name)) != value:
                    option = name.removeprefix("num_")
                    raise UsageError(f"{state} was begun with --{option} {was}, not {value}")
            return search
        if space is None:
            raise UsageError(f"there is no {state}; begin with a FILE")
        return PreferenceSearch(space.to_json(), **given)
    except InputDataError as error:
        raise UsageError(str(error)) from None


def _interview(search: PreferenceSearch, state: Path) -> None:
    if not state.exists():  # before the first answer, as a folder may be missing
        search.save(state)
    known = state.read_bytes()
    answers = "1 answer" if search.num_answers == 1 else f"{search.num_answers} answers"
    print(f"{answers} so far; ? explains what can be answered")
    repeats = False
    while True:
        if not repeats and len(search.X.unique(dim=0)) >= search.space.num_points:
            repeats = True
            print(f"\nall {search.space.num_points} things were compared; questions repeat now")
        if not _is_answered(search, _ask(search)):
            break
        if not state.exists() or state.read_bytes() != known:  # never over those of somebody else
            raise UsageError(
                f"{state} was changed by another program, and the last answer is not in it; give "
                "the same command again to go on"
            )
        search.save(state)
        known = state.read_bytes()
    for place, best in enumerate(_best(search), start=1):
        print(f"{place}. {best}")


def _ask(search: PreferenceSearch) -> Tensor:
    # After nothing but ties there is nothing to learn from yet.
    with warnings.catch_warnings(action="ignore", category=InputDataWarning):
        items = search.ask()
        best = _best(search)
    print(f"\nquestion {search.num_answers + 1}")
    if best:
        print(f"  so far the best: {best[0]}")
    for place, item in enumerate(items, start=1):
        print(f"  {place}: {_text(search, item)}")
    return items


def _is_answered(search: PreferenceSearch, items: Tensor) -> bool:
    """Take an answer, or the last one back; false at the end."""
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
            print("\n".join(_history(search)) or "no answers yet")
        elif typed == "u" and not search.num_answers:
            print("there is no answer to undo")
        elif typed == "u":
            search.undo()
            return True
        elif _is_told(search, items, typed):
            return True
        else:
            number = len(items)
            print(f"{typed!r} is no answer: type the number of the best, from 1 to {number}, or ?")


def _is_told(search: PreferenceSearch, items: Tensor, typed: str) -> bool:
    """Tell the search what was typed, if it is an answer."""
    if typed not in _MEANINGS and not _PLACES.fullmatch(typed):
        return False
    places = [int(place) - 1 for place in re.findall(r"\d+", typed)]
    try:
        search.tell(items, ranking=_MEANINGS.get(typed, places))
    except InputDataError:  # there are fewer things, or one is named twice
        return False
    return True


def _history(search: PreferenceSearch) -> Iterator[str]:
    for place, answer in enumerate(search.answers, start=1):
        said = [f"{a + 1} > {b + 1}" for a, b in answer.better]
        said += [f"{a + 1} = {b + 1}" for a, b in answer.equal]
        yield f"question {place}: {', '.join(said) or 'nothing said'}"
        yield from (f"  {row}: {_text(search, item)}" for row, item in enumerate(answer.items, 1))


def _best(search: PreferenceSearch) -> list[str]:
    """The best in words, the champion first; none before anything was compared."""
    ranking = search.ranking if any(answer.says_something for answer in search.answers) else []
    return [
        f"{_text(search, best.x)} {sure(search.space, best.chance, len(ranking))}"
        for best in ranking[:NUM_RANKED]
    ]


def _text(search: PreferenceSearch, item: Tensor) -> str:
    return ", ".join(said_of(search.space, search.space.decode(item)))
