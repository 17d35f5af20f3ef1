"""The node of an initial design."""

from typing import Literal

from ax.core.trial_status import TrialStatus
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MinTrials

from botorch_popbo.ax._adapter import RankGenerators
from botorch_popbo.ax._checks import check_given_whole
from botorch_popbo.ax._criteria import DistinctPoints, MetricsMissing, SpaceExhausted
from botorch_popbo.ax.nodes._model_node import enough_trials
from botorch_popbo.ax.nodes._options import check_name
from botorch_popbo.ax.nodes._own_node import OwnNode
from botorch_popbo.ax.nodes._transforms import DESIGN_TRANSFORMS

InitialDesign = Literal["sobol", "uniform"]

_DESIGNS = {"sobol": RankGenerators.SOBOL, "uniform": RankGenerators.UNIFORM}


def initial_node(
    next_node_name: str,
    num_trials: int = 12,
    seed: int = 0,
    design: InitialDesign = "sobol",
    deduplicate: bool = True,
) -> GenerationNode:
    """The initial design, which ends as soon as half of its trials are complete.

    At least two of them have to be distinct points. A design whose trials are complete without a
    metric of the goal raises Ax's ``DataRequiredError``, and one that has tried every point of the
    space ``SearchSpaceExhausted``.

    Args:
        next_node_name: Name of the node that takes over.
        num_trials: Trials before that. Attached trials count; failed and abandoned ones do not.
        seed: Seed of the design.
        design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``, as in the paper.
        deduplicate: Whether a point that was already tried is rejected.

    Returns:
        The node, named after the design.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("design", design, InitialDesign)
    num_trials = check_given_whole("num_trials", num_trials, 1)
    seed = check_given_whole("seed", seed, 0)
    return OwnNode(
        name=design,
        generator_specs=[
            GeneratorSpec(
                generator_enum=_DESIGNS[design],
                generator_kwargs={"seed": seed, "transforms": DESIGN_TRANSFORMS},
                generator_key_override=design.capitalize(),
            )
        ],
        transition_criteria=[
            enough_trials(num_trials, next_node_name),
            # Trials still running have no rank, so the model waits for half of the design.
            MinTrials(
                threshold=min(max(num_trials // 2, 2), num_trials),
                transition_to=next_node_name,
                use_all_trials_in_exp=True,
                only_in_statuses=[TrialStatus.COMPLETED],
                count_only_trials_with_data=True,
            ),
            # A design of one trial is one beside sources.
            DistinctPoints(next_node_name, beside_sources=num_trials == 1),
        ],
        pausing_criteria=[MetricsMissing(num_trials), SpaceExhausted()],
        should_deduplicate=deduplicate,
    )
