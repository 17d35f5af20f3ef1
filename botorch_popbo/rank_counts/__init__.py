"""Rank counts: records *(point, k, n)*, and every kind of feedback they are made from."""

from botorch_popbo.rank_counts.adaptive_comparisons import from_adaptive_comparisons
from botorch_popbo.rank_counts.base import RankCounts
from botorch_popbo.rank_counts.base_set import from_base_set
from botorch_popbo.rank_counts.combination import combine
from botorch_popbo.rank_counts.comparisons import from_comparisons
from botorch_popbo.rank_counts.constrained_outcomes import from_constrained_outcomes
from botorch_popbo.rank_counts.groups import from_groups
from botorch_popbo.rank_counts.noisy_outcomes import from_noisy_outcomes
from botorch_popbo.rank_counts.objectives import from_objectives
from botorch_popbo.rank_counts.ordering import from_ordering
from botorch_popbo.rank_counts.outcomes import from_outcomes
from botorch_popbo.rank_counts.replicates import merge_replicates
from botorch_popbo.rank_counts.top_k import from_top_k

__all__ = [
    "RankCounts",
    "combine",
    "from_adaptive_comparisons",
    "from_base_set",
    "from_comparisons",
    "from_constrained_outcomes",
    "from_groups",
    "from_noisy_outcomes",
    "from_objectives",
    "from_ordering",
    "from_outcomes",
    "from_top_k",
    "merge_replicates",
]
