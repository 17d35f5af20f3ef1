"""What users bring along: problems and methods in Python files, tables as CSV files."""

from collections.abc import Iterator
from typing import Any, Protocol

from botorch_popbo.benchmarks.own._files import check_reference, find, is_reference


class Source(Protocol):
    """Where a problem or a method is to be had."""

    def load(self) -> Any:
        """Make it, also in another process."""

    def describe(self) -> Iterator[str]:
        """Say what it was taken for."""


__all__ = ["Source", "check_reference", "find", "is_reference"]
