"""Acquisition functions of models of an order."""

from botorch_popbo.acquisition.base import RankAcquisitionFunction
from botorch_popbo.acquisition.constrained_utility_improvement import (
    LogConstrainedExpectedUtilityImprovement,
)
from botorch_popbo.acquisition.expected_ranking_improvement import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
)
from botorch_popbo.acquisition.front_improvement import LogExpectedFrontImprovement
from botorch_popbo.acquisition.lower_confidence_bound import (
    LowerConfidenceBound,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.acquisition.utility_improvement import LogExpectedUtilityImprovement

# Registers them with BoTorch.
import botorch_popbo.acquisition.input_constructors  # noqa: F401  # isort: skip

__all__ = [
    "ExpectedRankingImprovement",
    "LogConstrainedExpectedUtilityImprovement",
    "LogExpectedFrontImprovement",
    "LogExpectedRankingImprovement",
    "LogExpectedUtilityImprovement",
    "LowerConfidenceBound",
    "RankAcquisitionFunction",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
]
