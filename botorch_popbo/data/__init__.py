"""Feedback of every kind as an order of points."""

from importlib import import_module
from typing import TYPE_CHECKING

from botorch_popbo.data.lists import (
    from_comparisons,
    from_ordering,
    from_ranking_dataset,
    from_top_k,
)
from botorch_popbo.data.objectives import from_constrained_outcomes, from_objectives
from botorch_popbo.data.order import Order, combine
from botorch_popbo.data.outcomes import from_groups, from_outcomes, from_replicates

if TYPE_CHECKING:
    from botorch_popbo.paper.rank_counts import RankCounts

__all__ = [
    "Order",
    "RankCounts",
    "combine",
    "from_comparisons",
    "from_constrained_outcomes",
    "from_groups",
    "from_objectives",
    "from_ordering",
    "from_outcomes",
    "from_ranking_dataset",
    "from_replicates",
    "from_top_k",
]


def __getattr__(name: str) -> object:
    """Load the paper's counts, which need an order, when they are asked for."""
    if name != "RankCounts":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("botorch_popbo.paper.rank_counts"), name)
