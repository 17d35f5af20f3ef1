"""Rank-based Bayesian optimization with Poisson processes, for BoTorch and Ax."""

from botorch_popbo import sampling  # registers the sampler of the posterior
from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
    LowerConfidenceBound,
    NegatedRank,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.models import PoissonRankModel, RankLogLikelihood
from botorch_popbo.posteriors import PoissonRankPosterior
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.rank_counts import RankCounts
from botorch_popbo.rates import MLPRate
from botorch_popbo.version import __version__

__all__ = [
    "ExpectedRankingImprovement",
    "LogExpectedRankingImprovement",
    "LowerConfidenceBound",
    "MLPRate",
    "NegatedRank",
    "PoissonRankModel",
    "PoissonRankPosterior",
    "PreferenceSearch",
    "RankCounts",
    "RankLogLikelihood",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
    "__version__",
    "sampling",
]
