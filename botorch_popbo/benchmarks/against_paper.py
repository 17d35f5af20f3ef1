"""The paper's tables with what was measured beside what it reports."""

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from botorch_popbo.benchmarks.curves import Curve
from botorch_popbo.benchmarks.paper import INITIAL, PAPER, REGRET, TRIALS
from botorch_popbo.benchmarks.summary import Summary
from botorch_popbo.replacing import replacing


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
        _cell(summary, measure, curve, *reported[curve.method])
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
    return "\n".join(_lines(cells)) if cells else ""


def write_paper(cells: Sequence[Comparison], path: Path) -> None:
    """Write the comparison as comma-separated values.

    Args:
        cells: What :func:`compare_with_paper` found.
        path: The file to write, replaced if it exists.

    Raises:
        OSError: If the file cannot be written.
    """
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(Comparison.__annotations__), lineterminator="\n")
        writer.writeheader()
        writer.writerows(_row(cell) for cell in cells)


def _cell(
    summary: Summary, measure: str, curve: Curve, paper_mean: float, paper_deviation: float
) -> Comparison:
    values = _values(curve, measure)
    mean = float(np.mean(values))
    # The paper minimizes regrets and maximizes accuracies.
    gain = paper_mean - mean if measure == REGRET else mean - paper_mean
    verdict: Literal["within", "better", "worse"] = "better" if gain > 0 else "worse"
    return Comparison(
        problem=summary.problem.name,
        measure=measure,
        method=curve.method,
        paper_mean=paper_mean,
        paper_deviation=paper_deviation,
        mean=mean,
        deviation=float(np.std(values, ddof=1)) if len(values) > 1 else math.nan,
        seeds=len(values),
        verdict="within" if abs(gain) <= paper_deviation else verdict,
    )


def _values(curve: Curve, measure: str) -> list[float]:
    if measure == REGRET:
        return [end.result for end in curve.ends]
    return [end.measures.get(measure, math.nan) for end in curve.ends]


def _row(cell: Comparison) -> dict[str, object]:
    return {
        name: f"{value:.6g}" if isinstance(value, float) else value
        for name, value in vars(cell).items()
    }


def _lines(cells: Sequence[Comparison]) -> Iterator[str]:
    yield "beside the paper (mean ± standard deviation; the paper's of ten runs)"
    widths = [max(len(getattr(cell, name)) for cell in cells) for name in ("problem", "measure")]
    method_width = max(len(cell.method) for cell in cells)
    for cell in cells:
        names = (
            f"{cell.problem:<{widths[0]}}  {cell.measure:<{widths[1]}}  "
            f"{cell.method:<{method_width}}"
        )
        paper = f"{cell.paper_mean:#.4g} ± {cell.paper_deviation:.2g}"
        here = f"{cell.mean:#.4g}"
        if not math.isnan(cell.deviation):
            here += f" ± {cell.deviation:.2g}"
        yield f"{names}  paper {paper:<19}  here {here:<19}  {cell.seeds:>2} seeds  {cell.verdict}"
