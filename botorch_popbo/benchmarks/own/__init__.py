"""What users bring along: problems and methods in Python files, tables as CSV files."""

from botorch_popbo.benchmarks.own._files import Source, find, is_reference
from botorch_popbo.benchmarks.own._table import TableSource

__all__ = ["Source", "TableSource", "find", "is_reference"]
