"""The plots and the table of a campaign as one HTML page that needs no network."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from botorch_popbo.benchmarks import figures
from botorch_popbo.benchmarks.report import table, warnings
from botorch_popbo.benchmarks.summary import Summary
from botorch_popbo.benchmarks.trace import Array
from botorch_popbo.replacing import replacing

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>popbo compare</title>
<style>
body {{ font-family: sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em; }}
pre {{ background: #f6f6f6; padding: 1em; overflow-x: auto; }}
.warning {{ color: #a33; }}
</style>
<script>{script}</script>
</head>
<body>
<h1>popbo compare</h1>
<p>{title}</p>
<pre>{table}</pre>
{warnings}
{plots}
<p>{versions}</p>
</body>
</html>
"""


def write_page(summaries: Sequence[Summary], path: Path) -> None:
    """Write the page: the table, and one interactive figure for each problem.

    Args:
        summaries: One for each problem.
        path: The file to write, replaced if it exists.

    Raises:
        OSError: If the file cannot be written.
    """
    plots = [
        _figure(summary).to_html(full_html=False, include_plotlyjs=False) for summary in summaries
    ]
    notes = [f'<p class="warning">{escape(line)}</p>' for line in warnings(summaries)]
    versions = {v for summary in summaries for curve in summary.curves for v in curve.versions}
    page = _PAGE.format(
        script=get_plotlyjs(),
        title=escape(figures.TITLE),
        table=escape(table(summaries)),
        warnings="\n".join(notes),
        plots="\n".join(plots),
        versions=escape("; ".join(sorted(versions))),
    )
    with replacing(path) as partial:
        partial.write_text(page, encoding="utf-8")


def _figure(summary: Summary) -> go.Figure:
    axis = figures.scale(summary)
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.1)
    for curve in summary.curves:
        line, low, high = figures.band(curve, axis)
        _add(figure, curve.method, 1, figures.evaluations(summary), line, low, high)
        _add(figure, curve.method, 2, curve.seconds[1:], line[1:], low[1:], high[1:])
    if axis.has_zeros:
        figure.add_hline(axis.floor, line={"dash": "dot", "width": 1}, annotation_text="0")
    figure.update_xaxes(title=figures.evaluations_label(summary), row=1, col=1)
    figure.update_xaxes(title=figures.SECONDS_LABEL, type="log", dtick=1, row=1, col=2)
    figure.update_yaxes(
        title=summary.quantity, type="log" if axis.is_log else "linear", exponentformat="power"
    )
    figure.update_layout(
        title=summary.problem.name,
        template="plotly_white",
        height=420,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0.5, "xanchor": "center"},
    )
    return figure


def _add(
    figure: go.Figure, method: str, column: int, x: Array, line: Array, low: Array, high: Array
) -> None:
    shade = figures.color(method)
    red, green, blue = (int(shade[i : i + 2], 16) for i in (1, 3, 5))
    edges = {"x": x, "mode": "lines", "line": {"width": 0, "shape": "hv"}, "hoverinfo": "skip"}
    group = {"legendgroup": method, "showlegend": False}
    fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},0.18)"}
    figure.add_trace(go.Scatter(y=low, **edges, **group), row=1, col=column)
    figure.add_trace(go.Scatter(y=high, **edges, **group, **fill), row=1, col=column)
    figure.add_trace(
        go.Scatter(
            x=x,
            y=line,
            mode="lines",
            line={"color": shade, "shape": "hv"},
            name=method,
            legendgroup=method,
            showlegend=column == 1,
        ),
        row=1,
        col=column,
    )
