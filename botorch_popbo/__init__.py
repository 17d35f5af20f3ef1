"""Rank-based Bayesian optimization, for BoTorch and Ax."""

from botorch_popbo import sampling  # registers samplers and sample paths of the posteriors
from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedFrontImprovement,
    LogExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    LowerConfidenceBound,
    RankAcquisitionFunction,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.columns import Column
from botorch_popbo.data import Order, RankCounts
from botorch_popbo.models import (
    MLPRate,
    PoissonRankModel,
    RankingGP,
    RankLogLikelihood,
    RankModel,
    Rate,
)
from botorch_popbo.optim import rank_initial_conditions
from botorch_popbo.posteriors import (
    GaussianRankPosterior,
    NegatedRank,
    PoissonRankPosterior,
    RankPosterior,
)
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.version import __version__

__all__ = [
    "Column",
    "ExpectedRankingImprovement",
    "GaussianRankPosterior",
    "LogConstrainedExpectedUtilityImprovement",
    "LogExpectedFrontImprovement",
    "LogExpectedRankingImprovement",
    "LogExpectedUtilityImprovement",
    "LowerConfidenceBound",
    "MLPRate",
    "NegatedRank",
    "Order",
    "PoissonRankModel",
    "PoissonRankPosterior",
    "PreferenceSearch",
    "RankAcquisitionFunction",
    "RankCounts",
    "RankLogLikelihood",
    "RankModel",
    "RankPosterior",
    "RankingGP",
    "Rate",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
    "__version__",
    "rank_initial_conditions",
    "sampling",
]
