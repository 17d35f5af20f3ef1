"""The two nodes of every generation strategy: an initial design, then a model."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from ax.adapter.registry import Cont_X_trans, Generators
from ax.adapter.transforms.int_to_float import IntToFloat
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MaxGenerationParallelism, MinTrials

from botorch_popbo.ax.rounding import ReproducibleIntToFloat

InitialDesign = Literal["sobol", "uniform"]

_DESIGNS = {"sobol": Generators.SOBOL, "uniform": Generators.UNIFORM}

# Ax's own but for the rounding.
_DESIGN_TRANSFORMS = [
    ReproducibleIntToFloat if transform is IntToFloat else transform for transform in Cont_X_trans
]


@dataclass(frozen=True)
class StrategyOptions:
    """What every generation strategy can be told; see :func:`popbo_generation_strategy`.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """

    num_initial_trials: int
    seed: int
    initial_design: InitialDesign
    max_parallelism: int | None
    deduplicate: bool
    device: str | None
    num_restarts: int | None
    raw_samples: int | None

    def __post_init__(self) -> None:
        check_option("initial_design", self.initial_design, InitialDesign)
        for name in ("num_initial_trials", "max_parallelism", "num_restarts", "raw_samples"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserInputError(f"{name} is at least 1; got {value}.")
        try:
            torch.device(self.device or "cpu")
        except RuntimeError as error:
            raise UserInputError(
                f"Unknown device {self.device!r}; known are, for example, 'cpu' and 'cuda:0'."
            ) from error

    @property
    def optimizer_options(self) -> dict[str, int]:
        """Those options of BoTorch's optimizers that were given."""
        given = {"num_restarts": self.num_restarts, "raw_samples": self.raw_samples}
        return {name: value for name, value in given.items() if value is not None}


def two_step_strategy(
    name: str, generator_kwargs: dict[str, Any], options: StrategyOptions
) -> GenerationStrategy:
    """A strategy of an initial design and a model that never falls back to another generator.

    Args:
        name: Name of the model's node, and the generator key of its suggestions.
        generator_kwargs: Arguments of Ax's ``BoTorchGenerator`` and its adapter.
        options: Everything else.

    Returns:
        The strategy.
    """
    if options.device is not None:
        generator_kwargs = {**generator_kwargs, "torch_device": torch.device(options.device)}
    model = GenerationNode(
        name=name,
        generator_specs=[
            GeneratorSpec(
                generator_enum=Generators.BOTORCH_MODULAR,
                generator_kwargs=generator_kwargs,
                generator_gen_kwargs=(
                    {"model_gen_options": {"optimizer_kwargs": options.optimizer_options}}
                    if options.optimizer_options
                    else {}
                ),
                generator_key_override=name,
            )
        ],
        pausing_criteria=(
            []
            if options.max_parallelism is None
            else [
                MaxGenerationParallelism(
                    threshold=options.max_parallelism,
                    only_in_statuses=[TrialStatus.RUNNING],
                    use_all_trials_in_exp=True,
                )
            ]
        ),
        should_deduplicate=options.deduplicate,
        fallback_specs={},
    )
    initial = _initial_node(name, options)
    return GenerationStrategy(name=f"{initial.name}+{name}", nodes=[initial, model])


def _initial_node(next_node: str, options: StrategyOptions) -> GenerationNode:
    return GenerationNode(
        name=options.initial_design,
        generator_specs=[
            GeneratorSpec(
                generator_enum=_DESIGNS[options.initial_design],
                generator_kwargs={"seed": options.seed, "transforms": _DESIGN_TRANSFORMS},
            )
        ],
        transition_criteria=[
            MinTrials(
                threshold=options.num_initial_trials,
                transition_to=next_node,
                use_all_trials_in_exp=True,
                not_in_statuses=[TrialStatus.FAILED, TrialStatus.ABANDONED],
            ),
            # Trials still running have no rank, so the model waits for half of the design.
            MinTrials(
                threshold=max(options.num_initial_trials // 2, 2),
                transition_to=next_node,
                use_all_trials_in_exp=True,
                only_in_statuses=[TrialStatus.COMPLETED],
                count_only_trials_with_data=True,
            ),
        ],
        should_deduplicate=options.deduplicate,
    )


def check_option(name: str, value: object, known: Any) -> None:
    """Check the name of an option.

    Args:
        name: What the option is called.
        value: What was given.
        known: A ``Literal`` of the known names.

    Raises:
        UserInputError: If the value is not among them.
    """
    if value not in get_args(known):
        raise UserInputError(f"Unknown {name} {value!r}; known: {', '.join(get_args(known))}.")
