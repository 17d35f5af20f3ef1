"""A person answers: ``popbo prefer``."""

import json
import math
import tomllib
import warnings
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.columns import Column, Columns
from botorch_popbo.preference_search import PreferenceSearch

_KINDS = {
    "range": lambda values: Column.continuous(*values),
    "integers": lambda values: Column.integer(*values),
    "ordered": Column.ordered,
    "choices": Column.categorical,
}


def prefer(options: Namespace) -> int:
    """Ask until the person leaves; every answer is on disk before the next question."""
    known = _content(options.state)
    search = _begin(options)
    answers = "1 answer" if search.num_answers == 1 else f"{search.num_answers} answers"
    print(f"{answers} so far; = for no difference, u to undo, q to leave")
    while True:
        items = _ask(search)
        answer = _read(len(items), can_undo=search.num_answers > 0)
        if answer == "q":
            break
        if answer == "u":
            search.undo()
        else:
            search.tell(items, None if answer == "=" else int(answer) - 1)
        known = _save(search, options.state, known)
    if search.num_answers:
        print(f"best: {_text(search.columns, search.best)}")
    return 0


def read_space(path: Path) -> dict[str, Column]:
    """Read a TOML file with a table for each column; raises UsageError."""
    try:  # some editors begin a file with a mark of the byte order
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the space {path}: {error}") from None
    return {name: _column(f"{path}: {name}", said) for name, said in content.items()}


def _column(where: str, said: Any) -> Column:
    if not isinstance(said, Mapping) or len(said) != 1 or not set(said) <= set(_KINDS):
        raise UsageError(f"{where} is a table with one of the keys {', '.join(_KINDS)}")
    kind, values = next(iter(said.items()))
    try:
        json.dumps(values, allow_nan=False)
    except (TypeError, ValueError):  # dates, which the file of answers cannot hold, for one
        raise UsageError(f"{where}: values are text, numbers, or true and false") from None
    has_ends = kind in ("range", "integers")
    if not isinstance(values, list) or (has_ends and len(values) != 2):
        list_of = "list of two numbers" if has_ends else "list"
        raise UsageError(f"{where}: {kind} is a {list_of}, not {values!r}")
    try:
        return _KINDS[kind](values)
    except (TypeError, ValueError, InputDataError) as error:
        raise UsageError(f"{where}: {error}") from None


def _begin(options: Namespace) -> PreferenceSearch:
    space = None if options.space is None else read_space(options.space)
    asked = {"num_items": options.items, "seed": options.seed}
    given = {name: value for name, value in asked.items() if value is not None}
    try:
        if options.state.exists():
            search = PreferenceSearch.load(options.state)
            if space is not None and space != search.columns.by_name:
                raise UsageError(f"{options.state} is about another space than {options.space}")
            _check_settings(search, given, options.state)
            return search
        if space is None:
            raise UsageError(f"there is no {options.state}; begin with --space FILE")
        if not options.state.parent.is_dir():
            raise UsageError(f"there is no folder {options.state.parent} for {options.state.name}")
        return PreferenceSearch(space, **given)
    except InputDataError as error:
        raise UsageError(str(error)) from None


def _check_settings(search: PreferenceSearch, given: Mapping[str, int], state: Path) -> None:
    for name, value in given.items():
        if (was := getattr(search, name)) != value:
            option = name.removeprefix("num_")
            raise UsageError(f"{state} was begun with --{option} {was}, not {value}")


def _content(state: Path) -> bytes | None:
    return state.read_bytes() if state.exists() else None


def _save(search: PreferenceSearch, state: Path, known: bytes | None) -> bytes | None:
    """Write the answers, but never over those of somebody else; return what the file holds."""
    if _content(state) != known:
        raise UsageError(
            f"{state} was changed by another program, and the last answer is not in it; give the "
            "same command again to go on"
        )
    search.save(state)
    return _content(state)


def _ask(search: PreferenceSearch) -> Tensor:
    with warnings.catch_warnings():
        # After nothing but ties there is nothing to learn from yet.
        warnings.simplefilter("ignore", InputDataWarning)
        items = search.ask()
    print(f"\nquestion {search.num_answers + 1}")
    for place, item in enumerate(items, start=1):
        print(f"  {place}: {_text(search.columns, item)}")
    return items


def _read(number: int, can_undo: bool) -> str:
    valid = [*map(str, range(1, number + 1)), "=", *(["u"] if can_undo else []), "q"]
    while True:
        try:
            answer = input(f"{'/'.join(valid)}? ").strip().lower()
        except EOFError:
            return "q"
        if answer in valid:
            return answer


def _text(columns: Columns, item: Tensor) -> str:
    told = columns.describe(item).items()
    return ", ".join(f"{name} {_value(columns.by_name[name], value)}" for name, value in told)


def _value(column: Column, value: Any) -> str:
    if column.values is not None or not isinstance(value, float):
        return str(value)
    # Four digits of the width, without which two things of a narrow range look the same.
    farthest = max(abs(column.low), abs(column.high)) / (column.high - column.low)
    return f"{value:.{4 + math.ceil(math.log10(max(farthest, 1.0)))}g}"
