"""What users bring along: problems and methods in Python files, tables as CSV files."""

from botorch_popbo.benchmarks.own._files import check_reference, find, is_reference

__all__ = ["check_reference", "find", "is_reference"]
