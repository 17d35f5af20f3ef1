"""Generation strategies for :meth:`ax.api.client.Client.set_generation_strategy`."""

from typing import Any, Literal, get_args

from ax.adapter.registry import Generators, Mixed_transforms, Y_trans
from ax.adapter.transforms.choice_encode import ChoiceToNumericChoice, OrderedChoiceToIntegerRange
from ax.adapter.transforms.derelativize import Derelativize
from ax.adapter.transforms.log import Log
from ax.adapter.transforms.logit import Logit
from ax.adapter.transforms.map_key_to_float import MapKeyToFloat
from ax.adapter.transforms.remove_fixed import RemoveFixed
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MinTrials
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogNoisyExpectedImprovement,
)

from botorch_popbo.acquisition.expected_ranking_improvement import ExpectedRankingImprovement
from botorch_popbo.acquisition.expected_utility_improvement import LogExpectedUtilityImprovement
from botorch_popbo.acquisition.rectified_lcb import RectifiedLowerConfidenceBound
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.failures import FailedTrialsLast
from botorch_popbo.ax.model import OutcomePoissonRankModel
from botorch_popbo.ax.transforms import MaximizeObjective
from botorch_popbo.presets import PresetName

RankAcquisitionName = Literal["logei", "eri", "rlcb"]
GPAcquisitionName = Literal["logei", "ucb", "qlognei"]

_RANK_ACQUISITIONS: dict[str, type[AcquisitionFunction]] = {
    "logei": LogExpectedUtilityImprovement,
    "eri": ExpectedRankingImprovement,
    "rlcb": RectifiedLowerConfidenceBound,
}
_GP_ACQUISITIONS: dict[str, tuple[type[AcquisitionFunction], dict[str, Any]]] = {
    "logei": (LogExpectedImprovement, {}),
    "ucb": (UpperConfidenceBound, {"beta": 4.0}),
    "qlognei": (qLogNoisyExpectedImprovement, {}),
}

# No outcome transform beside the sign: winsorising would tie distinct outcomes. Ordered choices
# become whole numbers, unordered ones keep a column each that the model encodes one-hot.
_RANK_TRANSFORMS = [
    FailedTrialsLast,
    RemoveFixed,
    OrderedChoiceToIntegerRange,
    ChoiceToNumericChoice,
    Log,
    Logit,
    Derelativize,
    MaximizeObjective,
]

# Ax's default transforms but for the one-hot relaxation of categories, whose candidates round to
# points already evaluated; here the kernel handles categories.
_GP_TRANSFORMS = [MapKeyToFloat, *Mixed_transforms, *Y_trans]


def popbo_generation_strategy(
    acquisition: RankAcquisitionName | None = None,
    num_initial_trials: int = 12,
    seed: int = 0,
    preset: PresetName = "default",
) -> GenerationStrategy:
    """A Sobol design followed by Poisson process Bayesian optimization.

    Args:
        acquisition: ``"logei"`` (expected improvement of the utility behind the ranks), ``"eri"``
            (expected ranking improvement) or ``"rlcb"`` (rectified lower confidence bound). By
            default ``"logei"``, which needs ``preset="default"``; for the other presets ``"eri"``.
        num_initial_trials: Trials before the model takes over, at least two. Attached trials
            count; failed and abandoned ones do not.
        seed: Seed of the design, the model and the optimizer. The same seed and results give
            the same candidates.
        preset: Name of the settings: ``"default"``, ``"paper"`` or ``"exact"``.

    Returns:
        A strategy for one maximised or minimised metric. Its suggestions carry the generator key
        ``"popbo-logei"``, ``"popbo-eri"`` or ``"popbo-rlcb"``; it never falls back to another
        generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    _check_option("preset", preset, PresetName)
    if acquisition is None:
        acquisition = "logei" if preset == "default" else "eri"
    _check_option("acquisition", acquisition, RankAcquisitionName)
    if acquisition == "logei" and preset != "default":
        raise UserInputError(
            f'acquisition="logei" needs a rate with uncertainty, which preset={preset!r} has not; '
            'use preset="default", or acquisition="eri" or "rlcb".'
        )
    if num_initial_trials < 2:
        raise UserInputError(
            f"num_initial_trials is at least 2, because a rank compares points; got "
            f"{num_initial_trials}."
        )
    config = ModelConfig(
        botorch_model_class=OutcomePoissonRankModel,
        model_options={"preset": preset, "seed": seed},
        name="PoissonRank",
    )
    return _strategy(
        name=f"popbo-{acquisition}",
        generator_kwargs={
            "surrogate_spec": SurrogateSpec(model_configs=[config]),
            "botorch_acqf_class": _RANK_ACQUISITIONS[acquisition],
            "botorch_acqf_options": {} if acquisition == "logei" else {"seed": seed},
            "acquisition_class": RankAcquisition,
            "acquisition_options": {"seed": seed},
            "transforms": _RANK_TRANSFORMS,
            "fit_tracking_metrics": False,
            # Predictions of held-out points would otherwise come from a model that saw them.
            "refit_on_cv": True,
            "warm_start_refit": False,
        },
        num_initial_trials=num_initial_trials,
        seed=seed,
    )


def gp_generation_strategy(
    acquisition: GPAcquisitionName = "logei", num_initial_trials: int = 12, seed: int = 0
) -> GenerationStrategy:
    """A Sobol design followed by Ax's Gaussian process, for comparison.

    Args:
        acquisition: ``"logei"``, ``"ucb"`` (with beta 4) or ``"qlognei"``. Only ``"qlognei"``
            accepts trials that run in parallel.
        num_initial_trials: Trials before the model takes over. Attached trials count; failed and
            abandoned ones do not.
        seed: Seed of the design. The optimizer of a GP strategy follows
            ``Client(random_seed=...)``.

    Returns:
        A strategy whose suggestions carry the generator key ``"gp-logei"``, ``"gp-ucb"`` or
        ``"gp-qlognei"``; it never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    _check_option("acquisition", acquisition, GPAcquisitionName)
    if num_initial_trials < 1:
        raise UserInputError(f"num_initial_trials is at least 1; got {num_initial_trials}.")
    acqf_class, acqf_options = _GP_ACQUISITIONS[acquisition]
    return _strategy(
        name=f"gp-{acquisition}",
        generator_kwargs={
            "botorch_acqf_class": acqf_class,
            "botorch_acqf_options": acqf_options,
            "transforms": _GP_TRANSFORMS,
        },
        num_initial_trials=num_initial_trials,
        seed=seed,
    )


def _strategy(
    name: str, generator_kwargs: dict[str, Any], num_initial_trials: int, seed: int
) -> GenerationStrategy:
    initial = GenerationNode(
        name="sobol",
        generator_specs=[
            GeneratorSpec(generator_enum=Generators.SOBOL, generator_kwargs={"seed": seed})
        ],
        transition_criteria=[
            MinTrials(
                threshold=num_initial_trials,
                transition_to=name,
                use_all_trials_in_exp=True,
                not_in_statuses=[TrialStatus.FAILED, TrialStatus.ABANDONED],
            ),
            # Trials still running have no rank, so the model waits for half of the design.
            MinTrials(
                threshold=max(num_initial_trials // 2, 2),
                transition_to=name,
                use_all_trials_in_exp=True,
                only_in_statuses=[TrialStatus.COMPLETED],
                count_only_trials_with_data=True,
            ),
        ],
        should_deduplicate=True,
    )
    model = GenerationNode(
        name=name,
        generator_specs=[
            GeneratorSpec(
                generator_enum=Generators.BOTORCH_MODULAR,
                generator_kwargs=generator_kwargs,
                generator_key_override=name,
            )
        ],
        should_deduplicate=True,
        fallback_specs={},
    )
    return GenerationStrategy(name=f"sobol+{name}", nodes=[initial, model])


def _check_option(name: str, value: object, known: Any) -> None:
    if value not in get_args(known):
        raise UserInputError(f"Unknown {name} {value!r}; known: {', '.join(get_args(known))}.")
