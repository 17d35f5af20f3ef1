"""Acquisition functions over rank counts."""

from botorch_popbo.acquisition import input_constructors  # registers them
from botorch_popbo.acquisition.constrained_utility_improvement import (
    LogConstrainedExpectedUtilityImprovement,
)
from botorch_popbo.acquisition.expected_ranking_improvement import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
)
from botorch_popbo.acquisition.expected_utility_improvement import LogExpectedUtilityImprovement
from botorch_popbo.acquisition.objective import NegatedRank
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.acquisition.rectified_lcb import (
    LowerConfidenceBound,
    RectifiedLowerConfidenceBound,
)

__all__ = [
    "ExpectedRankingImprovement",
    "LogConstrainedExpectedUtilityImprovement",
    "LogExpectedRankingImprovement",
    "LogExpectedUtilityImprovement",
    "LowerConfidenceBound",
    "NegatedRank",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
    "input_constructors",
]
