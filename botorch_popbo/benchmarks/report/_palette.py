"""How methods are told apart: colours and dashes, the same in every plot."""

from typing import Literal

from botorch_popbo.benchmarks.methods import METHODS

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


def color(method: str) -> str:
    """The colour of a method, as ``#RRGGBB``."""
    return _PALETTE[list(METHODS).index(method) % len(_PALETTE)]


def dash(method: str) -> Dash:
    """The dashes of a method."""
    return _DASHES[list(METHODS).index(method) // _PLAIN % len(_DASHES)]
