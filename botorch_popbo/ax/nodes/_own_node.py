"""A node that stays with its own generator, stored or not."""

from collections.abc import Sequence
from typing import Any

from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import PausingCriterion, TransitionCriterion
from ax.storage.json_store.decoder import generation_node_from_json


class OwnNode(GenerationNode):
    """A node that never falls back to another generator.

    Where a suggestion repeats a point, a node of Ax falls back to Sobol unless ``fallback_specs``
    says otherwise, and those are not stored. So a class of its own has to say it.

    Args:
        name: The node's name.
        generator_specs: The generator.
        transition_criteria: When which node takes over.
        pausing_criteria: When to wait.
        should_deduplicate: Whether a point that was already tried is rejected.
        previous_node_name: The node before, once there was one.
    """

    def __init__(
        self,
        name: str,
        generator_specs: list[GeneratorSpec],
        transition_criteria: Sequence[TransitionCriterion],
        pausing_criteria: Sequence[PausingCriterion],
        should_deduplicate: bool,
        previous_node_name: str | None = None,
    ) -> None:
        super().__init__(
            name=name,
            generator_specs=generator_specs,
            transition_criteria=transition_criteria,
            pausing_criteria=pausing_criteria,
            should_deduplicate=should_deduplicate,
            previous_node_name=previous_node_name,
            fallback_specs={},
        )

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "OwnNode":
        """A node out of what Ax stored of it."""
        node = generation_node_from_json(stored)
        return cls(
            name=node.name,
            generator_specs=node.generator_specs,
            transition_criteria=node.transition_criteria,
            pausing_criteria=node.pausing_criteria,
            should_deduplicate=node.should_deduplicate,
            previous_node_name=node._previous_node_name,
        )
