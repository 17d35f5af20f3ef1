"""Acquisition functions of models of an order."""

from botorch_popbo.acquisition.front_improvement import LogExpectedFrontImprovement
from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction
from botorch_popbo.acquisition.utility_improvement import LogExpectedUtilityImprovement

# The paper's, which need those above.
from botorch_popbo.paper.acquisition import (  # isort: skip
    ExpectedRankingImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.paper.space_rank import (  # isort: skip
    LogExpectedRankImprovement,
    LogRankConfidenceBound,
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
