"""A person answers: ``popbo prefer``."""

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
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Parameter, Space


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
        print(f"best: {_text(search.space, search.best)}")
    return 0


def read_space(path: Path) -> dict[str, Any]:
    """Read a TOML file with a table for each parameter; raises UsageError."""
    try:  # some editors begin a file with a mark of the byte order
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the space {path}: {error}") from None


def _begin(options: Namespace) -> PreferenceSearch:
    space = None if options.space is None else read_space(options.space)
    asked = {"num_items": options.items, "seed": options.seed}
    given = {name: value for name, value in asked.items() if value is not None}
    try:
        if options.state.exists():
            search = PreferenceSearch.load(options.state)
            if space is not None and Space.read(space).key != search.space.key:
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
        print(f"  {place}: {_text(search.space, item)}")
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


def _text(space: Space, item: Tensor) -> str:
    told = space.decode(item).items()
    return ", ".join(f"{name} {_value(space.parameters[name], value)}" for name, value in told)


def _value(parameter: Parameter, value: Any) -> str:
    if parameter.step is not None:
        return str(value)
    # Four digits of the width, without which two things of a narrow range look the same.
    low, high = parameter.low, parameter.high
    farthest = max(abs(low), abs(high)) / (high - low)
    return f"{value:.{4 + math.ceil(math.log10(max(farthest, 1.0)))}g}"
