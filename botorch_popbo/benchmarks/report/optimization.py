"""The whole report of a comparison of methods on problems."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.report.figures import draw
from botorch_popbo.benchmarks.report.files import write_csv, write_files
from botorch_popbo.benchmarks.report.paper import compare_with_paper, paper_table
from botorch_popbo.benchmarks.report.ranking import group_tables, rank_in_groups
from botorch_popbo.benchmarks.report.summary import Summary
from botorch_popbo.benchmarks.report.text import table, warnings

_COLUMNS = [
    *("problem", "initial", "trials", "method", "seed"),
    *("result", "best_evaluated", "seconds_per_suggestion"),
]


def write_report(summaries: Sequence[Summary], output: Path) -> None:
    """Print the table, the paper's numbers beside it and warnings, and write all files."""
    texts = [table(summaries)]
    cells, groups = compare_with_paper(summaries), rank_in_groups(summaries)
    if not cells.empty:
        texts.append(paper_table(cells))
        write_csv(cells, output / "paper.csv")
    if not groups.empty:
        texts.append(group_tables(groups))
        write_csv(groups, output / "groups.csv")
    for line in warnings(summaries):
        print(line, file=sys.stderr)
    versions = {v for summary in summaries for curve in summary.curves for v in curve.versions}
    texts.append("\n".join([*warnings(summaries), *sorted(versions)]))
    write_files(output, "comparison", "\n\n".join(texts), results(summaries), draw(summaries))


def results(summaries: Sequence[Summary]) -> pd.DataFrame:
    """A row for each complete replication: where it ended."""
    rows = [
        (summary.problem.name, summary.initial, summary.trials, curve.method, *end)
        for summary in summaries
        for curve in summary.curves
        for seconds in [np.median(np.diff(curve.times), axis=-1)]
        for end in zip(curve.seeds, curve.results, curve.evaluated[:, -1], seconds, strict=True)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)
