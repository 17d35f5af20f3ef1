"""Enters the package's classes into Ax's registries, so that experiments can be stored."""

from ax.storage.botorch_modular_registry import (
    register_acquisition,
    register_acquisition_function,
    register_model,
)
from ax.storage.json_store.encoders import (
    generation_node_to_dict,
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

from botorch_popbo.ax._progress import DistinctPoints
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.early_stopping import RankEarlyStopping
from botorch_popbo.ax.generator_spec import PRESETS, RANK_ACQUISITIONS, RANK_TRANSFORMS
from botorch_popbo.ax.nodes import DesignNode, RankNode
from botorch_popbo.ax.sources import BestOfSources
from botorch_popbo.ax.stopping import RankGlobalStopping
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.settings import Settings


def register() -> None:
    """Register everything a stored experiment may name; calling it twice does no harm."""
    for model in PRESETS.values():
        register_model(model)
    for transform in RANK_TRANSFORMS:
        register_transform(transform)
    register_acquisition(RankAcquisition)
    for function in RANK_ACQUISITIONS.values():
        register_acquisition_function(function)
    register_acquisition_function(UpperConfidenceBound)  # which Ax leaves out
    # Ax has no function that registers a surrogate, a node, a criterion or a stopping.
    CORE_ENCODER_REGISTRY[RankSurrogate] = surrogate_to_dict
    CORE_ENCODER_REGISTRY[DistinctPoints] = transition_criterion_to_dict
    CORE_ENCODER_REGISTRY[RankEarlyStopping] = lambda _: {"__type": RankEarlyStopping.__name__}
    for node in (RankNode, DesignNode):
        CORE_ENCODER_REGISTRY[node] = generation_node_to_dict
        CORE_CLASS_DECODER_REGISTRY[node.__name__] = node.from_json
    stopping = RankEarlyStopping, RankGlobalStopping
    settings = Settings, *map(type, vars(Settings()).values())
    for decoded in (RankSurrogate, BestOfSources, DistinctPoints, *stopping, *settings):
        CORE_DECODER_REGISTRY[decoded.__name__] = decoded
