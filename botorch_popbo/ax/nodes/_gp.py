"""The node of Ax's Gaussian process."""

from typing import Any, Literal, Unpack

from ax.adapter.registry import Generators
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogNoisyExpectedImprovement,
)

from botorch_popbo.ax.nodes._model_node import model_node
from botorch_popbo.ax.nodes._options import NodeOptions, check_name
from botorch_popbo.ax.nodes._transforms import GP_TRANSFORMS

GPAcquisitionName = Literal["logei", "ucb", "qlognei"]

_GP_ACQUISITIONS: dict[str, tuple[type[AcquisitionFunction], dict[str, Any]]] = {
    "logei": (LogExpectedImprovement, {}),
    "ucb": (UpperConfidenceBound, {"beta": 4.0}),
    "qlognei": (qLogNoisyExpectedImprovement, {}),
}


def gp_node(
    acquisition: GPAcquisitionName = "logei",
    *,
    next_node_name: str | None = None,
    num_trials: int | None = None,
    **options: Unpack[NodeOptions],
) -> GenerationNode:
    """Search with Ax's Gaussian process, for comparison or to finish with.

    Args:
        acquisition: ``"logei"``, ``"ucb"`` (with beta 4) or ``"qlognei"``. Only ``"qlognei"``
            accepts trials that run in parallel.
        next_node_name: Name of the node that takes over, if any does.
        num_trials: Trials of the whole experiment before that.
        **options: See :class:`NodeOptions`. The optimizer follows ``Client(random_seed=...)``.

    Returns:
        The node, whose name and generator key is ``"gp-logei"``, ``"gp-ucb"`` or ``"gp-qlognei"``.
        It never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("acquisition", acquisition, GPAcquisitionName)
    if options.get("sources"):
        raise UserInputError("A Gaussian process of Ax takes no sources; use popbo_node.")
    acquisition_class, acquisition_options = _GP_ACQUISITIONS[acquisition]
    generator_kwargs = {
        "botorch_acqf_class": acquisition_class,
        "botorch_acqf_options": acquisition_options,
        "transforms": GP_TRANSFORMS,
    }
    generator = Generators.BOTORCH_MODULAR
    name = f"gp-{acquisition}"
    return model_node(name, generator, generator_kwargs, next_node_name, num_trials, options)
