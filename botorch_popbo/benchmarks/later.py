"""What is loaded only when it is called, so that names can be checked in no time."""

from functools import partial
from pkgutil import resolve_name
from typing import Any


def later(place: str, *args: Any, **options: Any) -> Any:
    """A function whose module is imported when it is called.

    Args:
        place: Where it is in this package, such as ``"methods.popbo:Popbo"``.
        *args: Its first arguments.
        **options: Arguments by name.
    """
    return partial(_call, place, *args, **options)


def _call(place: str, *args: Any, **options: Any) -> Any:
    return resolve_name(f"botorch_popbo.benchmarks.{place}")(*args, **options)
