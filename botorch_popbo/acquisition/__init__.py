"""Acquisition functions of models of an order."""

from botorch_popbo.acquisition.front_improvement import LogExpectedFrontImprovement
from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction
from botorch_popbo.acquisition.rectified import (
    ExpectedRankingImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.acquisition.utility_improvement import LogExpectedUtilityImprovement

__all__ = [
    "ExpectedRankingImprovement",
    "LogExpectedFrontImprovement",
    "LogExpectedUtilityImprovement",
    "RankAcquisitionFunction",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
]
