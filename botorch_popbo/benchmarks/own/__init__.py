"""What users bring along: problems and methods in Python files, tables as CSV files."""

from botorch_popbo.benchmarks.own._files import FileSource, find, is_reference
from botorch_popbo.benchmarks.own._table import TableSource

#: Where a problem or a method is to be had.
Source = FileSource | TableSource

__all__ = ["Source", "TableSource", "find", "is_reference"]
