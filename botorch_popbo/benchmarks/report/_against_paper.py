"""The paper's tables with what was measured beside what it reports."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from botorch_popbo.benchmarks.report._paper import INITIAL, PAPER, REGRET, TRIALS, Reported
from botorch_popbo.benchmarks.report._text import aligned
from botorch_popbo.benchmarks.report._trace import Array
from botorch_popbo.benchmarks.report.summary import Curve, Summary

_TITLE = "beside the paper (mean ± standard deviation; the paper's of ten runs)"


@dataclass(frozen=True)
class Comparison:
    """One cell of a table of the paper.

    Attributes:
        problem: The problem's name.
        measure: What is compared.
        method: The method's name.
        paper_mean: The mean that the paper reports.
        paper_deviation: The standard deviation that it reports.
        mean: The mean over the seeds here.
        deviation: The standard deviation over them; not a number for a single one.
        seeds: Their number.
        verdict: Whether the mean lies within the paper's mean ± its standard deviation, or on
            which side of that.
    """

    problem: str
    measure: str
    method: str
    paper_mean: float
    paper_deviation: float
    mean: float
    deviation: float
    seeds: int
    verdict: Literal["within", "better", "worse"]


def compare_with_paper(summaries: Sequence[Summary]) -> list[Comparison]:
    """Find what the paper reports of a campaign.

    Args:
        summaries: One for each problem.

    Returns:
        The cells for which there is a complete replication, in the paper's order of columns; none
        for problems that were run with other than the paper's numbers of evaluations.
    """
    return [
        _cell(summary.problem.name, measure, curve, reported[curve.method])
        for summary in summaries
        if (summary.initial, summary.trials) == (INITIAL, TRIALS)
        for measure, reported in PAPER.get(summary.problem.name, {}).items()
        for curve in summary.curves
        if curve.method in reported and not math.isnan(_values(curve, measure)[0])
    ]


def paper_table(cells: Sequence[Comparison]) -> str:
    """Tabulate the comparison.

    Args:
        cells: What :func:`compare_with_paper` found.

    Returns:
        Lines of text, none without cells.
    """
    if not cells:
        return ""
    rows = [("problem", "measure", "method", "paper", "here", "seeds", "verdict")]
    for cell in cells:
        paper = f"{cell.paper_mean:#.4g} ± {cell.paper_deviation:.2g}"
        here = f"{cell.mean:#.4g}"
        if not math.isnan(cell.deviation):
            here += f" ± {cell.deviation:.2g}"
        names = (cell.problem, cell.measure, cell.method)
        rows.append((*names, paper, here, str(cell.seeds), cell.verdict))
    return "\n".join([_TITLE, *aligned(rows)])


def _cell(problem: str, measure: str, curve: Curve, reported: Reported) -> Comparison:
    values, (paper_mean, paper_deviation) = _values(curve, measure), reported
    mean = float(values.mean())
    # The paper minimizes regrets and maximizes accuracies.
    gain = paper_mean - mean if measure == REGRET else mean - paper_mean
    verdict: Literal["better", "worse"] = "better" if gain > 0 else "worse"
    return Comparison(
        problem=problem,
        measure=measure,
        method=curve.method,
        paper_mean=paper_mean,
        paper_deviation=paper_deviation,
        mean=mean,
        deviation=float(values.std(ddof=1)) if len(values) > 1 else math.nan,
        seeds=len(values),
        verdict="within" if abs(gain) <= paper_deviation else verdict,
    )


def _values(curve: Curve, measure: str) -> Array:
    if measure == REGRET:
        return curve.results
    return np.array([measures.get(measure, math.nan) for measures in curve.measures])
