"""Enters the package's classes into Ax's registries, so that experiments can be stored."""

from ax.storage.botorch_modular_registry import (
    register_acquisition,
    register_acquisition_function,
    register_model,
)
from ax.storage.json_store.encoders import (
    generation_node_to_dict,
    pausing_criterion_to_dict,
    surrogate_to_dict,
    transition_criterion_to_dict,
)
from ax.storage.json_store.registry import (
    CORE_CLASS_DECODER_REGISTRY,
    CORE_DECODER_REGISTRY,
    CORE_ENCODER_REGISTRY,
)
from ax.storage.transform_registry import register_transform
from botorch.acquisition import UpperConfidenceBound

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedUtilityImprovement,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax._adapter import RankGenerators
from botorch_popbo.ax._criteria import DistinctPoints, MetricsMissing, SpaceExhausted
from botorch_popbo.ax._ordered_choices import OrderedLeafToIntegerRange
from botorch_popbo.ax._rounding import ReproducibleIntToFloat, ReproducibleOneHot
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.failures import FailedTrialsLast
from botorch_popbo.ax.nodes._own_node import OwnNode
from botorch_popbo.ax.sources import BestOfSources
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.ax.transforms import MaximizeObjective
from botorch_popbo.models import PoissonRankModel, RankingGP


def register() -> None:
    """Register everything a stored experiment may name; calling it twice does no harm.

    BoTorch's ``UpperConfidenceBound`` is included because Ax 1.3 leaves it out and
    ``gp_generation_strategy("ucb")`` uses it.
    """
    for model in (RankingGP, PoissonRankModel):
        register_model(model)
    for transform in (
        MaximizeObjective,
        FailedTrialsLast,
        OrderedLeafToIntegerRange,
        ReproducibleIntToFloat,
        ReproducibleOneHot,
    ):
        register_transform(transform)
    register_acquisition(RankAcquisition)
    # Ax has no function that registers a surrogate or a criterion.
    CORE_ENCODER_REGISTRY[RankSurrogate] = surrogate_to_dict
    CORE_ENCODER_REGISTRY[DistinctPoints] = transition_criterion_to_dict
    CORE_ENCODER_REGISTRY[OwnNode] = generation_node_to_dict
    CORE_CLASS_DECODER_REGISTRY[OwnNode.__name__] = OwnNode.from_json
    pausing = (MetricsMissing, SpaceExhausted)
    CORE_ENCODER_REGISTRY.update(dict.fromkeys(pausing, pausing_criterion_to_dict))
    for decoded in (RankSurrogate, RankGenerators, BestOfSources, DistinctPoints, *pausing):
        CORE_DECODER_REGISTRY[decoded.__name__] = decoded
    for acquisition_function in (
        ExpectedRankingImprovement,
        LogConstrainedExpectedUtilityImprovement,
        LogExpectedUtilityImprovement,
        RectifiedLowerConfidenceBound,
        UpperConfidenceBound,
    ):
        register_acquisition_function(acquisition_function)
