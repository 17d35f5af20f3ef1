"""The plots of a comparison: labels, the scale of an axis, colours, and the curves themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.report.summary import Array, Curve, Summary

_TITLE = "Recommended point: mean over seeds, band ± standard error"


def evaluations_label(summary: Summary) -> str:
    """The label of the axis of evaluations; the shared initial design is counted in."""
    return f"evaluations ({summary.initial} initial points included)"


def evaluations(summary: Summary) -> Array:
    """The number of evaluations at each entry of a problem's curves, initial design included."""
    return np.arange(summary.initial, summary.initial + summary.trials + 1, dtype=float)


@dataclass(frozen=True)
class Scale:
    """The scale of a vertical axis.

    Attributes:
        is_log: Whether it is logarithmic.
        floor: On a logarithmic axis, where values that are too small for it are drawn.
    """

    is_log: bool
    floor: float


def scale(summary: Summary) -> Scale:
    """Choose the scale on which a problem's curves are drawn.

    Returns:
        Logarithmic for regrets, with a floor half a decade below the smallest positive mean.
    """
    means = np.concatenate([curve.mean for curve in summary.curves] or [np.zeros(0)])
    positive = means[means > 0]
    if summary.problem.optimal_value is None or positive.size == 0 or (means < 0).any():
        return Scale(is_log=False, floor=-np.inf)
    return Scale(is_log=True, floor=float(positive.min()) / np.sqrt(10))


def band(curve: Curve, axis: Scale) -> tuple[Array, Array, Array]:
    """A curve's mean and the lower and upper edge of its band, within the range of an axis.

    Without an error, all three are the mean.
    """
    error = np.nan_to_num(curve.error)
    edges = (curve.mean, curve.mean - error, curve.mean + error)
    middle, low, high = (np.maximum(values, axis.floor) for values in edges)
    return middle, low, high


def style(index: int) -> dict[str, Any]:
    """Colour and dashes of the line at a place of a list; of ten colours Matplotlib knows."""
    return {"color": f"C{index % 10}", "linestyle": ("-", "--", ":", "-.")[index // 10 % 4]}


def draw_curve(panel: Axes, index: int, label: str, x: Any, line: Any, low: Any, high: Any) -> None:
    """Draw a mean that holds until the next one, and its band, in the style of a place."""
    # The last step is as long as a twentieth of the axis: it would be cut at its beginning.
    x = np.append(x, x[-1] + (x[-1] - x[0]) / 20.0)
    line, low, high = (np.append(values, np.asarray(values)[-1]) for values in (line, low, high))
    panel.plot(x, line, drawstyle="steps-post", label=label, **style(index))
    color = style(index)["color"]
    panel.fill_between(x, low, high, step="post", color=color, alpha=0.18, linewidth=0)


def finish(figure: Figure, panels: Sequence[Axes], title: str) -> None:
    """Grids, a title and one legend for all panels."""
    named: dict[str, Any] = {}
    for panel in panels:
        panel.grid(visible=True, alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        for line, name in zip(*panel.get_legend_handles_labels(), strict=True):
            named.setdefault(name, line)
    place: Any = "outside upper center"
    figure.legend([*named.values()], [*named], title=title, loc=place, ncols=5, frameon=False)


def draw(summaries: Sequence[Summary]) -> Figure:
    """Draw one row for each problem: by evaluations, by time, and the time of each suggestion."""
    # Without pyplot and thus without global state.
    figure = Figure(figsize=(15.0, 1.0 + 3.3 * len(summaries)), layout="constrained")
    panels: Any = figure.subplots(len(summaries), 3, squeeze=False)
    for row, summary in zip(panels, summaries, strict=True):
        _draw_problem(summary, *row)
    finish(figure, panels.flat, _TITLE)
    return figure


def _draw_problem(summary: Summary, by_count: Axes, by_time: Axes, times: Axes) -> None:
    axis, counts = scale(summary), evaluations(summary)
    for curve in summary.curves:
        index, (line, low, high) = _place(curve.method), band(curve, axis)
        draw_curve(by_count, index, curve.method, counts, line, low, high)
        # Before the first suggestion no time has passed, which a logarithm cannot show.
        draw_curve(by_time, index, curve.method, curve.seconds[1:], line[1:], low[1:], high[1:])
        times.plot(counts[1:], np.diff(curve.seconds), **style(index))
    for panel in (by_count, by_time):
        # A user's label may hold dollars that are not a formula.
        panel.set_ylabel(summary.quantity, parse_math=False)
        panel.set_yscale("log" if axis.is_log else "linear")
    by_count.set(title=summary.problem.name, xlabel=evaluations_label(summary))
    by_time.set(xlabel="cumulative time of suggestions [s]")
    times.set(xlabel=evaluations_label(summary), ylabel="time of a suggestion [s]")
    # An axis without a point has no logarithm.
    if any(np.isfinite(curve.mean[1:]).any() for curve in summary.curves):
        by_time.set_xscale("log")
        times.set_yscale("log")
    for panel in (by_count, times):
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _place(method: str) -> int:
    """The place of a method in the registry; a user's come behind all of them."""
    places = {name: place for place, name in enumerate(METHODS)}
    return places.get(method, len(places))
