"""What the two kinds of plot have in common: labels, the scale of an axis, colours and dashes."""

from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.report.summary import Array, Curve, Summary

TITLE = "Point held to be the best: mean over seeds, band ± standard error"
SECONDS_LABEL = "cumulative time of suggestions [s]"
SUGGESTION_LABEL = "time of a suggestion [s]"

# Tol's muted palette, told apart with every common kind of colour blindness, and black; then
# colours for which the dashes of the line help.
_PALETTE = (
    *("#332288", "#CC6677", "#117733", "#88CCEE", "#DDCC77"),
    *("#882255", "#44AA99", "#999933", "#AA4499", "#000000"),
    *("#EE7733", "#0077BB", "#33BBEE", "#CC3311", "#009988"),
    *("#EE3377", "#7F7F7F", "#8C564B", "#BCBD22", "#6A3D9A"),
    *("#E6AB02", "#1B9E77", "#A6761D", "#E7298A", "#66A61E"),
    *("#1F78B4", "#B2DF8A", "#FB9A99", "#CAB2D6", "#B15928"),
)
_PLAIN = 10

#: How a line is drawn.
Dash = Literal["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]
_DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


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
        has_zeros: Whether some mean is exactly zero and therefore drawn at the floor.
    """

    is_log: bool
    floor: float
    has_zeros: bool


def scale(summary: Summary) -> Scale:
    """Choose the scale on which a problem's curves are drawn.

    Returns:
        Logarithmic for regrets, with a floor half a decade below the smallest positive mean.
    """
    means = np.concatenate([curve.mean for curve in summary.curves] or [np.zeros(0)])
    positive = means[means > 0]
    if summary.problem.optimal_value is None or positive.size == 0 or (means < 0).any():
        return Scale(is_log=False, floor=-np.inf, has_zeros=False)
    floor = float(positive.min()) / np.sqrt(10)
    return Scale(is_log=True, floor=floor, has_zeros=bool((means == 0).any()))


def is_wide(summary: Summary, axis: Scale) -> bool:
    """Whether a logarithmic axis spans so much that powers of ten suffice as labels."""
    largest = max((float(curve.mean.max()) for curve in summary.curves), default=0.0)
    return axis.is_log and largest > 300 * axis.floor


def band(curve: Curve, axis: Scale) -> tuple[Array, Array, Array]:
    """A curve's mean and the lower and upper edge of its band, within the range of an axis.

    Without an error, all three are the mean.
    """
    error = np.nan_to_num(curve.error)
    edges = (curve.mean, curve.mean - error, curve.mean + error)
    middle, low, high = (np.maximum(values, axis.floor) for values in edges)
    return middle, low, high


def pareto_front(summary: Summary) -> list[Curve]:
    """The curves that no other beats both in the result and in the time of a suggestion.

    A method that lost replications does not compete. They are in order, from the fastest.
    """
    sign = 1 if summary.is_loss else -1
    front: list[Curve] = []
    for curve in sorted(summary.whole, key=lambda c: (c.seconds_per_suggestion, sign * c.mean[-1])):
        if not front or sign * curve.mean[-1] < sign * front[-1].mean[-1]:
            front.append(curve)
    return front


def place(method: str) -> int:
    """The place of a method in the registry; behind it, by its name, that of a user's."""
    known = list(METHODS)
    return known.index(method) if method in known else len(known) + crc32(method.encode()) % _PLAIN


def color(method: str) -> str:
    """The colour of a method, as ``#RRGGBB``."""
    return _PALETTE[place(method) % len(_PALETTE)]


def dash(method: str) -> Dash:
    """The dashes of a method."""
    return _DASHES[place(method) // _PLAIN % len(_DASHES)]
