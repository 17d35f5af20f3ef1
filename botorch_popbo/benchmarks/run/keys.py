"""What campaign files may say: kinds of values, their defaults and those of a trial run."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.names import unknown


@dataclass(frozen=True)
class Key:
    """A setting of an experiment.

    Attributes:
        kind: What a value is: ``str``, ``int``, ``float`` or ``bool``.
        default: The value if none is given; a tuple, if a value is a list.
        smoke: Makes the value of a trial run out of that of the campaign.
        least: The smallest number there is.
        known: The names that exist, if values are names.
    """

    kind: type
    default: Any = None
    smoke: Callable[[Any], Any] | None = None
    least: float = 0.0
    known: Collection[str] | None = None

    def check_kind(self, name: str, value: Any) -> Any:
        """A file's value, in its kind; of a list a tuple of different ones. Or raise UsageError."""
        is_list = isinstance(self.default, tuple)
        entries = value if isinstance(value, list) else [value]
        if is_list != isinstance(value, list) or not entries or not all(map(self._holds, entries)):
            plural, least = ("a list, each " if is_list else ""), f" of at least {self.least:g}"
            kind = {str: "a text", bool: "true or false"}.get(self.kind, f"a number{least}")
            kind = kind if self.kind is not int else f"a whole number{least}"
            raise UsageError(f"{name} is {plural}{kind}, not {value!r}")
        return tuple(map(self.kind, dict.fromkeys(value))) if is_list else self.kind(value)

    def check_names(self, name: str, value: Any) -> Any:
        """Return a value, or raise UsageError if a name does not exist."""
        if self.known is None:
            return value
        for one in [value] if isinstance(value, str) else value:
            if one not in self.known:
                raise unknown(name.removesuffix("s"), one, self.known)
        return value

    def _holds(self, value: Any) -> bool:
        is_kind = type(value) is self.kind or (self.kind is float and type(value) is int)
        return is_kind and (self.kind in (str, bool) or self.least <= value < math.inf)


def names(known: Collection[str]) -> Key:
    """A list of those that are known; by default all."""
    return Key(str, tuple(known), known=known)


#: How many replications run at the same time, and the seconds of one call into a method.
JOBS, LIMIT = Key(int, least=1), Key(float, 600.0, least=1e-3)


def replicated(methods: Collection[str], seeds: int = 10, smoke: int = 1) -> dict[str, Key]:
    """The keys of replications of methods side by side, by default and in a trial run."""
    return {
        "methods": names(methods),
        "seeds": Key(int, seeds, lambda _: smoke, least=1),
        "jobs": JOBS,
        "limit": LIMIT,
    }
