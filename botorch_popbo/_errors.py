"""Errors that a user can correct, reported as a message and never as a traceback."""

from importlib import import_module
from types import ModuleType


class UsageError(ValueError):
    """The request cannot be carried out as it was made; the message says what to change."""


def library(module: str, user: str, extra: str) -> ModuleType:
    """Import a module that only some need, or raise UsageError with what installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        install = f"in the clone, pip install '.[{extra}]'"
        raise UsageError(f"{user} needs the module {error.name}: {install}") from error
