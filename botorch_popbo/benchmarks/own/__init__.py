"""What users bring along: problems and methods in Python files, tables as CSV files."""

from botorch_popbo.benchmarks.own.files import find, is_reference

__all__ = ["find", "is_reference"]
