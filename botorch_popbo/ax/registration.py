"""Enters the package's classes into Ax's registries, so that experiments can be stored."""

from ax.storage.botorch_modular_registry import (
    register_acquisition,
    register_acquisition_function,
    register_model,
)
from ax.storage.transform_registry import register_transform
from botorch.acquisition import UpperConfidenceBound

from botorch_popbo.acquisition.constrained_utility_improvement import (
    LogConstrainedExpectedUtilityImprovement,
)
from botorch_popbo.acquisition.expected_ranking_improvement import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
)
from botorch_popbo.acquisition.expected_utility_improvement import LogExpectedUtilityImprovement
from botorch_popbo.acquisition.rectified_lcb import (
    LowerConfidenceBound,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.failures import FailedTrialsLast
from botorch_popbo.ax.model import OutcomePoissonRankModel
from botorch_popbo.ax.rounding import ReproducibleIntToFloat
from botorch_popbo.ax.transforms import MaximizeObjective


def register() -> None:
    """Register everything a stored experiment may name; calling it twice does no harm.

    BoTorch's ``UpperConfidenceBound`` is included because Ax 1.3 leaves it out and
    ``gp_generation_strategy("ucb")`` uses it.
    """
    register_model(OutcomePoissonRankModel)
    for transform in (MaximizeObjective, FailedTrialsLast, ReproducibleIntToFloat):
        register_transform(transform)
    register_acquisition(RankAcquisition)
    for acquisition_function in (
        ExpectedRankingImprovement,
        LogExpectedRankingImprovement,
        LogConstrainedExpectedUtilityImprovement,
        LogExpectedUtilityImprovement,
        LowerConfidenceBound,
        RectifiedLowerConfidenceBound,
        UpperConfidenceBound,
    ):
        register_acquisition_function(acquisition_function)
