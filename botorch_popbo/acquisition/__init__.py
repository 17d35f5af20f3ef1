"""Acquisition functions of models of an order."""

from botorch_popbo.acquisition.front_improvement import LogExpectedFrontImprovement
from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction
from botorch_popbo.acquisition.space_rank import LogExpectedRankImprovement, LogRankConfidenceBound
from botorch_popbo.acquisition.utility_improvement import LogExpectedUtilityImprovement

# The paper's, which need those above.
from botorch_popbo.paper.acquisition import (  # isort: skip
    ExpectedRankingImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)

__all__ = [
    "ExpectedRankingImprovement",
    "LogExpectedFrontImprovement",
    "LogExpectedRankImprovement",
    "LogExpectedUtilityImprovement",
    "LogRankConfidenceBound",
    "RankAcquisitionFunction",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
]
