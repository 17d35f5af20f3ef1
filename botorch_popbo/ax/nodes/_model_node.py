"""A node of any model, with the options that all of them have."""

from typing import Any

import torch
from ax.adapter.registry import GeneratorRegistryBase
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import (
    MaxGenerationParallelism,
    MinTrials,
    PausingCriterion,
)

from botorch_popbo.ax._checks import check_whole
from botorch_popbo.ax._criteria import SpaceExhausted
from botorch_popbo.ax.nodes._options import NodeOptions, check_options
from botorch_popbo.ax.nodes._own_node import OwnNode


def model_node(
    name: str,
    generator: GeneratorRegistryBase,
    generator_kwargs: dict[str, Any],
    next_node_name: str | None,
    num_trials: int | None,
    options: NodeOptions,
) -> GenerationNode:
    """Make a node.

    Args:
        name: Its name and generator key.
        generator: The kind of its generator.
        generator_kwargs: What that is made of.
        next_node_name: Name of the node that takes over, if any does.
        num_trials: Trials of the whole experiment before that.
        options: See :class:`NodeOptions`.

    Returns:
        The node, which never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_options(options)
    device, parallelism = options.get("device"), options.get("max_parallelism")
    if device is not None:
        generator_kwargs = {**generator_kwargs, "torch_device": torch.device(device)}
    sizes = {name: options.get(name) for name in ("num_restarts", "raw_samples")}
    given = {name: value for name, value in sizes.items() if value is not None}
    spec = GeneratorSpec(
        generator_enum=generator,
        generator_kwargs=generator_kwargs,
        generator_gen_kwargs={"model_gen_options": {"optimizer_kwargs": given}} if given else {},
        generator_key_override=name,
    )
    check_whole(num_trials=num_trials)
    if (next_node_name is None) != (num_trials is None):
        raise UserInputError("next_node_name and num_trials go together: who takes over, and when.")
    deduplicate = options.get("deduplicate", True)
    pauses: list[PausingCriterion] = [SpaceExhausted()] if deduplicate else []
    if parallelism is not None:
        pauses.append(
            MaxGenerationParallelism(
                threshold=parallelism,
                only_in_statuses=[TrialStatus.RUNNING],
                use_all_trials_in_exp=True,
            )
        )
    return OwnNode(
        name=name,
        generator_specs=[spec],
        transition_criteria=(
            []
            if next_node_name is None or num_trials is None
            else [enough_trials(num_trials, next_node_name)]
        ),
        pausing_criteria=pauses,
        should_deduplicate=deduplicate,
    )


def enough_trials(number: int, next_node_name: str) -> MinTrials:
    """A node takes over after so many trials, without those that failed."""
    return MinTrials(
        threshold=number,
        transition_to=next_node_name,
        use_all_trials_in_exp=True,
        not_in_statuses=[TrialStatus.FAILED, TrialStatus.ABANDONED],
    )
