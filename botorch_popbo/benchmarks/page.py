"""The plots and the table of a campaign as one HTML page that needs no network."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from botorch_popbo.benchmarks import figures
from botorch_popbo.benchmarks.against_paper import compare_with_paper, paper_table
from botorch_popbo.benchmarks.panels import problem_figure, ranking_figure
from botorch_popbo.benchmarks.ranking import Ranking, rank_methods
from botorch_popbo.benchmarks.report import table, warnings
from botorch_popbo.benchmarks.summary import Summary
from botorch_popbo.replacing import replacing

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>popbo compare</title>
<style>
body {{ font-family: sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em; }}
pre {{ background: #f6f6f6; padding: 1em; overflow-x: auto; }}
h2 {{ margin-top: 2em; border-bottom: 1px solid #ddd; }}
.warning {{ color: #a33; }}
</style>
<script>{script}</script>
</head>
<body>
<h1>popbo compare</h1>
<pre>{table}</pre>
{warnings}
{sections}
<p>{versions}</p>
</body>
</html>
"""


def write_page(summaries: Sequence[Summary], path: Path) -> None:
    """Write the page: the table, the average ranks, and a figure for each problem.

    Args:
        summaries: One for each problem.
        path: The file to write, replaced if it exists.

    Raises:
        OSError: If the file cannot be written.
    """
    sections = [
        _section(summary.problem.name, figures.TITLE, problem_figure(summary))
        for summary in summaries
    ]
    notes = [f'<p class="warning">{escape(line)}</p>' for line in warnings(summaries)]
    versions = {v for summary in summaries for curve in summary.curves for v in curve.versions}
    page = _PAGE.format(
        script=get_plotlyjs(),
        table=escape(table(summaries)),
        warnings="\n".join(notes),
        sections="\n".join([_paper(summaries), _ranking(rank_methods(summaries)), *sections]),
        versions=escape("; ".join(sorted(versions))),
    )
    with replacing(path) as partial:
        partial.write_text(page, encoding="utf-8")


def _paper(summaries: Sequence[Summary]) -> str:
    cells = compare_with_paper(summaries)
    return f"<pre>{escape(paper_table(cells))}</pre>" if cells else ""


def _ranking(ranking: Ranking) -> str:
    if not ranking.ranks:
        return ""
    number = f"{ranking.problems} problem{'s' if ranking.problems > 1 else ''}"
    text = (
        f"By the result at the end, over {number} of equal weight and the seeds that all of these "
        "methods completed. Interval: 95 % bootstrap over problems and seeds."
    )
    if ranking.without:
        missing = ", ".join(ranking.without)
        text += f" Not ranked, for want of a complete run on some problem: {missing}."
    return _section("Average rank", text, ranking_figure(ranking))


def _section(title: str, text: str, figure: go.Figure) -> str:
    options = {"displaylogo": False, "responsive": True}
    plot = figure.to_html(full_html=False, include_plotlyjs=False, config=options)
    return f"<h2>{escape(title)}</h2>\n<p>{escape(text)}</p>\n{plot}"
