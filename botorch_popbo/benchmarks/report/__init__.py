"""What the records of a comparison say: curves, ranks, tables, plots."""

from botorch_popbo.benchmarks.report.summary import Curve, Summary
from botorch_popbo.benchmarks.report.text import table

__all__ = ["Curve", "Summary", "table"]
