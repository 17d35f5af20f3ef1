"""The paper's tables with what was measured beside what it reports."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.report._paper import INITIAL, PAPER, REGRET, TRIALS
from botorch_popbo.benchmarks.report._text import aligned
from botorch_popbo.benchmarks.report.summary import Curve, Summary

_TITLE = "beside the paper (mean ± standard deviation; the paper's of ten runs)"


def compare_with_paper(summaries: Sequence[Summary]) -> pd.DataFrame:
    """Find what the paper reports of a campaign.

    There is a row for each cell of the paper's tables for which there is a complete replication,
    none for problems that were run with other than the paper's numbers of evaluations. The verdict
    says whether the mean here lies within the paper's mean ± its standard deviation, or on which
    side of that; the deviation of a single seed is not a number.
    """
    return pd.DataFrame(
        {"problem": summary.problem.name, "measure": measure, "method": curve.method, **cell}
        for summary in summaries
        if (summary.initial, summary.trials) == (INITIAL, TRIALS)
        for measure, reported in PAPER.get(summary.problem.name, {}).items()
        for curve in summary.curves
        if curve.method in reported
        for cell in [_cell(measure, curve, *reported[curve.method])]
        if not np.isnan(cell["mean"])
    )


def paper_table(cells: pd.DataFrame) -> str:
    """Tabulate the comparison; nothing without cells."""
    if cells.empty:
        return ""
    rows = []
    for cell in cells.itertuples():
        paper = f"{cell.paper_mean:#.4g} ± {cell.paper_deviation:.2g}"
        deviation = "" if np.isnan(cell.deviation) else f" ± {cell.deviation:.2g}"
        here = f"{cell.mean:#.4g}{deviation}"
        names = (cell.problem, cell.measure, cell.method)
        rows.append((*names, paper, here, str(cell.seeds), cell.verdict))
    headings = ("problem", "measure", "method", "paper", "here", "seeds", "verdict")
    return "\n".join([_TITLE, *aligned([headings], rows)])


def _cell(measure: str, curve: Curve, paper_mean: float, paper_deviation: float) -> dict[str, Any]:
    is_regret = measure == REGRET
    values = curve.results if is_regret else [m.get(measure, np.nan) for m in curve.measures]
    mean = np.mean(values)
    # The paper minimizes regrets and maximizes accuracies.
    gain = paper_mean - mean if is_regret else mean - paper_mean
    return {
        "paper_mean": paper_mean,
        "paper_deviation": paper_deviation,
        "mean": mean,
        "deviation": np.std(values, ddof=1) if len(values) > 1 else np.nan,
        "seeds": len(values),
        "verdict": "within" if abs(gain) <= paper_deviation else "better" if gain > 0 else "worse",
    }
