"""The plots of a campaign as one picture."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FormatStrFormatter, LogLocator, MaxNLocator, NullFormatter

from botorch_popbo.benchmarks.report import figures
from botorch_popbo.benchmarks.report._ranking import methods_of
from botorch_popbo.benchmarks.report.summary import Array, Summary

_WIDTH = 11.0  # inches
_HANDLE_WIDTH, _LETTER_WIDTH = 0.75, 0.085  # of an entry of the legend, at least
_LINES: dict[figures.Dash, Any] = {
    "solid": "-",
    "dash": "--",
    "dot": ":",
    "dashdot": "-.",
    "longdash": (0, (8, 3)),
    "longdashdot": (0, (8, 3, 1, 3)),
}


def draw(summaries: Sequence[Summary]) -> Figure:
    """Draw one row for each problem: against evaluations, and against optimizer seconds."""
    # Made without pyplot, so that no window system and no global state is involved.
    figure = Figure(figsize=(_WIDTH, 0.9 + 3.3 * len(summaries)), layout="constrained")
    axes = figure.subplots(len(summaries), 2, squeeze=False)
    for row, summary in zip(axes, summaries, strict=True):
        _draw_row(summary, *row)
    names = sorted(methods_of(summaries), key=figures.place)
    handles = [Line2D([], [], linewidth=2.5, **_style(name)) for name in names]
    longest = max(map(len, names), default=0)
    columns = max(int(_WIDTH / (_HANDLE_WIDTH + _LETTER_WIDTH * longest)), 1)
    legend_rows = max(ceil(len(names) / columns), 1)
    figure.legend(
        handles,
        names,
        title=figures.TITLE,
        title_fontsize=13,
        loc="outside upper center",
        ncols=ceil(len(names) / legend_rows) or 1,
        frameon=False,
    )
    return figure


def _draw_row(summary: Summary, by_count: Axes, by_time: Axes) -> None:
    axis = figures.scale(summary)
    for curve in summary.curves:
        line, low, high = figures.band(curve, axis)
        _draw(by_count, curve.method, figures.evaluations(summary), line, low, high)
        # Before the first suggestion no time has passed, which a logarithm cannot show.
        _draw(by_time, curve.method, curve.seconds[1:], line[1:], low[1:], high[1:])
    for panel in (by_count, by_time):
        _finish(panel, summary, axis)
    by_count.set_xlabel(figures.evaluations_label(summary))
    by_count.xaxis.set_major_locator(MaxNLocator(integer=True))
    by_time.set_xlabel(figures.SECONDS_LABEL)
    # An axis without a point has no logarithm.
    if any(np.isfinite(curve.mean[1:]).any() for curve in summary.curves):
        by_time.set_xscale("log")
        _tick(by_time.xaxis)


def _style(method: str) -> dict[str, Any]:
    return {"color": figures.color(method), "linestyle": _LINES[figures.dash(method)]}


def _draw(panel: Axes, method: str, x: Array, line: Array, low: Array, high: Array) -> None:
    shade = figures.color(method)
    style = {**_style(method), "linewidth": 1.8}
    panel.plot(x, line, drawstyle="steps-post", **style)
    # A step that ends has no width, so the last state is drawn as a point.
    ends = [line[-1:] - low[-1:], high[-1:] - line[-1:]]
    panel.errorbar(x[-1:], line[-1:], yerr=ends, color=shade, fmt="o", markersize=4, capsize=3)
    panel.fill_between(x, low, high, color=shade, alpha=0.18, linewidth=0, step="post")


def _finish(panel: Axes, summary: Summary, axis: figures.Scale) -> None:
    panel.set_title(summary.problem.name, fontsize=11)
    # A user's label may hold dollars, which are no formula.
    panel.set_ylabel(summary.quantity, parse_math=False)
    panel.grid(visible=True, which="major", alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
    if axis.is_log:
        panel.set_yscale("log")
        _tick(panel.yaxis)
    if axis.has_zeros:
        panel.axhline(axis.floor, color="black", linewidth=0.8, linestyle=":")
        panel.text(0.01, axis.floor, "0", transform=panel.get_yaxis_transform(), va="bottom")


def _tick(axis: Axis) -> None:
    """Label a logarithmic axis at powers of ten, and in between if there are few of them."""
    low, high = axis.get_view_interval()
    is_wide = high > 300 * low
    axis.set_major_locator(LogLocator(subs=(1.0,) if is_wide else (1.0, 2.0, 5.0)))
    axis.set_minor_formatter(NullFormatter())
    if not is_wide:
        axis.set_major_formatter(FormatStrFormatter("%g"))
