"""What campaign files may say: kinds of values, their defaults and those of a trial run."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from botorch_popbo.benchmarks.errors import UsageError, unknown

Smoke = Callable[[Any], Any]


@dataclass(frozen=True)
class Key:
    """A setting of an experiment: what a value is, in words and as a test, and the default.

    ``smoke`` makes the value of a trial run out of that of the campaign; ``known`` are the names
    that exist, if values are names.
    """

    kind: str
    is_valid: Callable[[Any], bool]
    default: Any = None
    smoke: Smoke | None = None
    known: Collection[str] | None = None

    def check_kind(self, name: str, value: Any) -> Any:
        """Return a file's value with a tuple of different ones for a list, or raise UsageError."""
        if not self.is_valid(value):
            raise UsageError(f"{name} is {self.kind}, not {value!r}")
        return tuple(dict.fromkeys(value)) if isinstance(value, list) else value

    def check_names(self, name: str, value: Any) -> Any:
        """Return a value, or raise UsageError if a name does not exist."""
        if self.known is None:
            return value
        for one in [value] if isinstance(value, str) else value:
            if one not in self.known:
                raise unknown(name.removesuffix("s"), one, self.known)
        return value


def text(default: str = "", known: Collection[str] | None = None) -> Key:
    """A text, perhaps one of those that are known."""
    return Key("a text", _is_text, default, known=known)


def texts(*default: str) -> Key:
    """A list of texts."""
    return Key("a list of texts", _list_of(_is_text), default)


def names(known: Collection[str]) -> Key:
    """A list of those that are known; by default all."""
    return Key("a list of names", _list_of(_is_text), tuple(known), known=known)


def flag() -> Key:
    """Yes or no; by default no."""
    return Key("true or false", lambda value: type(value) is bool, False)


def count(default: int | None = None, *, least: int = 1, smoke: int | None = None) -> Key:
    """A whole number."""
    kind = "a positive whole number" if least == 1 else f"a whole number of at least {least}"
    return Key(kind, _is_count(least), default, None if smoke is None else lambda _: smoke)


def counts(default: tuple[int, ...], smoke: Smoke) -> Key:
    """A list of positive whole numbers."""
    return Key("a list of positive whole numbers", _list_of(_is_count(1)), default, smoke)


def number(default: float) -> Key:
    """A number that is not negative."""
    return Key("a number of at least 0", _is_number, default)


def numbers(default: tuple[float, ...], smoke: Smoke) -> Key:
    """A list of numbers that are not negative."""
    return Key("a list of numbers of at least 0", _list_of(_is_number), default, smoke)


def seconds(default: float = 600.0) -> Key:
    """A duration."""
    return Key("a positive number of seconds", lambda x: _is_number(x) and x > 0, default)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(least: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and value >= least


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


def _list_of(is_valid: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and bool(value) and all(map(is_valid, value))
