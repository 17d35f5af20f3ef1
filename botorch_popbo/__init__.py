"""Rank-based Bayesian optimization with Poisson processes, for BoTorch and Ax."""

from botorch_popbo import sampling  # registers the sampler of the posterior
from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    LowerConfidenceBound,
    NegatedRank,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.models import PoissonRankModel, RankLogLikelihood, UtilityModel
from botorch_popbo.optim import rank_initial_conditions
from botorch_popbo.posteriors import GaussianRankPosterior, PoissonRankPosterior, RankPosterior
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.rank_counts import RankCounts
from botorch_popbo.rates import GaussianProcessRate, MLPRate
from botorch_popbo.version import __version__

__all__ = [
    "ExpectedRankingImprovement",
    "GaussianProcessRate",
    "GaussianRankPosterior",
    "LogConstrainedExpectedUtilityImprovement",
    "LogExpectedRankingImprovement",
    "LogExpectedUtilityImprovement",
    "LowerConfidenceBound",
    "MLPRate",
    "NegatedRank",
    "PoissonRankModel",
    "PoissonRankPosterior",
    "PreferenceSearch",
    "RankCounts",
    "RankLogLikelihood",
    "RankPosterior",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
    "UtilityModel",
    "__version__",
    "rank_initial_conditions",
    "sampling",
]
