"""Acquisition functions over rank counts."""

from botorch_popbo.acquisition import input_constructors  # registers them
from botorch_popbo.acquisition.expected_ranking_improvement import ExpectedRankingImprovement
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.acquisition.rectified_lcb import RectifiedLowerConfidenceBound

__all__ = [
    "ExpectedRankingImprovement",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
    "input_constructors",
]
