"""The whole report of a comparison of methods on problems."""

import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from botorch_popbo.benchmarks.report import figures
from botorch_popbo.benchmarks.report._against_paper import compare_with_paper, paper_table
from botorch_popbo.benchmarks.report._files import write_csv, write_files
from botorch_popbo.benchmarks.report._groups import group_tables, rank_in_groups
from botorch_popbo.benchmarks.report._panels import problem_figure, ranking_figure
from botorch_popbo.benchmarks.report._png import draw
from botorch_popbo.benchmarks.report._ranking import methods_of, rank_methods
from botorch_popbo.benchmarks.report._table import table, warnings
from botorch_popbo.benchmarks.report._verdict import verdict
from botorch_popbo.benchmarks.report.summary import Summary

_COLUMNS = [
    *("problem", "initial", "trials", "method", "seed"),
    *("result", "best_evaluated", "seconds_per_suggestion"),
]


def write_report(summaries: Sequence[Summary], output: Path) -> None:
    """Print the table, the paper's numbers beside it and warnings, and write all files."""
    text, cells = table(summaries), compare_with_paper(summaries)
    if not cells.empty:
        text += f"\n\n{paper_table(cells)}"
        write_csv(cells, output / "paper.csv")
    groups = rank_in_groups(summaries)
    if not groups.empty:
        text += f"\n\n{group_tables(groups)}"
        write_csv(groups, output / "groups.csv")
    if sentence := verdict(summaries):
        text += f"\n\n{sentence}"
    for line in warnings(summaries):
        print(line, file=sys.stderr)
    sections = list(_sections(summaries))
    write_files(output, "", text, results(summaries), draw(summaries), sections)


def results(summaries: Sequence[Summary]) -> pd.DataFrame:
    """A row for each complete replication: where it ended."""
    rows = [
        (summary.problem.name, summary.initial, summary.trials, curve.method, *end)
        for summary in summaries
        for curve in summary.curves
        for seconds in [curve.times[:, -1] / summary.trials]
        for end in zip(curve.seeds, curve.results, curve.best, seconds, strict=True)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _sections(summaries: Sequence[Summary]) -> Iterator[str]:
    for line in warnings(summaries):
        yield f'<p class="warning">{escape(line)}</p>'
    # The page needs no network.
    yield f"<script>{get_plotlyjs()}</script>"
    ranking = rank_methods(summaries)
    if len(ranking):
        without = [method for method in methods_of(summaries) if method not in ranking.index]
        yield _section("Average rank", _about(len(summaries), without), ranking_figure(ranking))
    for summary in summaries:
        yield _section(summary.problem.name, figures.TITLE, problem_figure(summary))
    versions = {v for summary in summaries for curve in summary.curves for v in curve.versions}
    yield f"<p>{escape('; '.join(sorted(versions)))}</p>"


def _about(problems: int, without: Sequence[str]) -> str:
    missing = f" Not ranked, for want of a complete run on some problem: {', '.join(without)}."
    return (
        f"By the result at the end, over {problems} problem{'s' if problems > 1 else ''} of equal "
        "weight and the seeds that all of these methods completed. Interval: 95 % bootstrap over "
        f"problems and seeds.{missing if without else ''}"
    )


def _section(title: str, text: str, figure: go.Figure) -> str:
    options = {"displaylogo": False, "responsive": True}
    plot = figure.to_html(full_html=False, include_plotlyjs=False, config=options)
    return f"<h2>{escape(title)}</h2>\n<p>{escape(text)}</p>\n{plot}"
