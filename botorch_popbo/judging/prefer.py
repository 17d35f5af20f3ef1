"""The command ``popbo prefer``: judges answer in a terminal or on a page."""

import re
import tomllib
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from botorch.exceptions import InputDataError

from botorch_popbo._errors import UsageError, library
from botorch_popbo.judging._drawer import Drawer
from botorch_popbo.judging._terminal import Terminal
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Space

if TYPE_CHECKING:
    from botorch_popbo.judging._page import Page

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
