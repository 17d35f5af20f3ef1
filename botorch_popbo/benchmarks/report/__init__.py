"""What the records of a comparison say: curves, ranks, tables, plots."""

from botorch_popbo.benchmarks.report._summarize import summarize
from botorch_popbo.benchmarks.report._table import table
from botorch_popbo.benchmarks.report.summary import Curve, Summary

__all__ = ["Curve", "Summary", "summarize", "table"]
