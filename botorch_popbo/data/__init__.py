"""Feedback of every kind as an order of points, and the rank counts derived from it."""

from botorch_popbo.data.lists import (
    from_comparisons,
    from_ordering,
    from_ranking_dataset,
    from_top_k,
)
from botorch_popbo.data.objectives import from_constrained_outcomes, from_objectives
from botorch_popbo.data.order import Order, combine
from botorch_popbo.data.outcomes import from_groups, from_outcomes, from_replicates
from botorch_popbo.data.rank_counts import RankCounts

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
