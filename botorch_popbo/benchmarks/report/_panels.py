"""The interactive figures of a campaign: one for each problem, and one over all."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from botorch_popbo.benchmarks.report import figures
from botorch_popbo.benchmarks.report.summary import Array, Summary

_TITLES = (
    "Against evaluations",
    "Against the optimizer's time",
    "Time of each suggestion",
    "Result against time (dotted: Pareto front)",
)
_MARGIN = {"l": 80, "r": 30, "t": 90, "b": 60}


def problem_figure(summary: Summary) -> go.Figure:
    """Draw a problem: progress by evaluations and by time, time by evaluations, and both ends."""
    axis = figures.scale(summary)
    figure = make_subplots(
        rows=2, cols=2, horizontal_spacing=0.1, vertical_spacing=0.14, subplot_titles=_TITLES
    )
    counts = figures.evaluations(summary)
    for curve in summary.curves:
        line, low, high = figures.band(curve, axis)
        _add_band(figure, curve.method, 1, counts, line, low, high)
        _add_band(figure, curve.method, 2, curve.seconds[1:], line[1:], low[1:], high[1:])
        style = {"mode": "lines", "line": _line(curve.method), **_group(curve.method)}
        seconds = go.Scatter(x=counts[1:], y=np.diff(curve.seconds), **style)
        figure.add_trace(seconds, row=2, col=1)
    _add_ends(figure, summary, axis)
    if axis.has_zeros:
        dotted = {"dash": "dot", "width": 1}
        for row, column in ((1, 1), (1, 2), (2, 2)):
            figure.add_hline(axis.floor, line=dotted, annotation_text="0", row=row, col=column)
    _label(figure, summary, axis)
    return figure


def ranking_figure(ranking: pd.DataFrame) -> go.Figure:
    """Draw the average ranks and their intervals, the best on top."""
    mean = ranking["mean"]
    ends = {"array": ranking["high"] - mean, "arrayminus": mean - ranking["low"]}
    points = go.Scatter(
        x=mean,
        y=ranking.index,
        mode="markers",
        marker={"color": list(map(figures.color, ranking.index)), "size": 11},
        error_x={"type": "data", **ends, "width": 6},
    )
    figure = go.Figure(points)
    figure.update_xaxes(title="average rank (1 is best)")
    figure.update_yaxes(autorange="reversed", automargin=True)
    height, margin = 110 + 28 * len(ranking), {"t": 10, "b": 60, "r": 30}
    figure.update_layout(template="plotly_white", height=height, margin=margin)
    return figure


def _add_ends(figure: go.Figure, summary: Summary, axis: figures.Scale) -> None:
    """Where the methods ended, and the line of those that no other beats in both respects."""
    front = figures.pareto_front(summary)
    for curve in summary.curves:
        line, low, high = (values[-1] for values in figures.band(curve, axis))
        # Beside the stairs, which come from above or from below.
        side = "right" if curve in front[:1] else "left"
        errors = {"type": "data", "array": [high - line], "arrayminus": [line - low]}
        point = go.Scatter(
            x=[curve.seconds_per_suggestion],
            y=[line],
            error_y={**errors, "thickness": 1},
            mode="markers+text",
            marker={"color": figures.color(curve.method), "size": 10},
            # Names of all would cover each other; the legend and the mouse tell the others.
            text=[curve.method if curve in front else ""],
            textposition=f"{'top' if summary.is_loss else 'bottom'} {side}",
            cliponaxis=False,
            **_group(curve.method),
        )
        figure.add_trace(point, row=2, col=2)
    stairs = go.Scatter(
        x=[curve.seconds_per_suggestion for curve in front],
        y=[max(curve.mean[-1], axis.floor) for curve in front],
        mode="lines",
        line={"color": "#999999", "dash": "dot", "shape": "hv"},
        showlegend=False,
        hoverinfo="skip",
    )
    figure.add_trace(stairs, row=2, col=2)


def _label(figure: go.Figure, summary: Summary, axis: figures.Scale) -> None:
    by_count, kind = figures.evaluations_label(summary), "log" if axis.is_log else "linear"
    figure.update_xaxes(title=by_count, col=1)
    decades = {"type": "log", "dtick": 1, "exponentformat": "power"}
    wide = {"dtick": 1} if figures.is_wide(summary, axis) else {}
    figure.update_xaxes(title=figures.SECONDS_LABEL, **decades, row=1, col=2)
    figure.update_xaxes(title=figures.SUGGESTION_LABEL, **decades, row=2, col=2)
    figure.update_yaxes(title=summary.quantity, type=kind, exponentformat="power", **wide)
    figure.update_yaxes(title=figures.SUGGESTION_LABEL, **decades, row=2, col=1)
    legend = {"orientation": "h", "yanchor": "bottom", "y": 1.05, "x": 0.5, "xanchor": "center"}
    figure.update_layout(template="plotly_white", height=820, margin=_MARGIN, legend=legend)


def _group(method: str) -> dict[str, object]:
    return {"name": method, "legendgroup": method, "showlegend": False}


def _line(method: str) -> dict[str, object]:
    return {"color": figures.color(method), "dash": figures.dash(method)}


def _add_band(
    figure: go.Figure, method: str, column: int, x: Array, line: Array, low: Array, high: Array
) -> None:
    shade = figures.color(method)
    red, green, blue = (int(shade[i : i + 2], 16) for i in (1, 3, 5))
    edges = {"x": x, "mode": "lines", "line": {"width": 0, "shape": "hv"}, "hoverinfo": "skip"}
    fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},0.18)"}
    style = {"mode": "lines", "line": {**_line(method), "shape": "hv"}}
    named = {**_group(method), "showlegend": column == 1}
    for trace in (
        go.Scatter(y=low, **edges, **_group(method)),
        go.Scatter(y=high, **edges, **fill, **_group(method)),
        go.Scatter(x=x, y=line, **style, **named),
    ):
        figure.add_trace(trace, row=1, col=column)
