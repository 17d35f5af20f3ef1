"""Generation strategies for :meth:`ax.api.client.Client.set_generation_strategy`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from ax.adapter.registry import Mixed_transforms, Y_trans
from ax.adapter.transforms.choice_encode import ChoiceToNumericChoice, OrderedChoiceToIntegerRange
from ax.adapter.transforms.derelativize import Derelativize
from ax.adapter.transforms.log import Log
from ax.adapter.transforms.logit import Logit
from ax.adapter.transforms.map_key_to_float import MapKeyToFloat
from ax.adapter.transforms.remove_fixed import RemoveFixed
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
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
from botorch_popbo.ax.nodes import (
    InitialDesign,
    StrategyOptions,
    check_option,
    two_step_strategy,
)
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
    *,
    initial_design: InitialDesign = "sobol",
    max_parallelism: int | None = None,
    deduplicate: bool = True,
    device: str | None = None,
    num_restarts: int | None = None,
    raw_samples: int | None = None,
) -> GenerationStrategy:
    """An initial design followed by Poisson process Bayesian optimization.

    Args:
        acquisition: ``"logei"`` (expected improvement of the utility behind the ranks), ``"eri"``
            (expected ranking improvement) or ``"rlcb"`` (rectified lower confidence bound). By
            default ``"logei"``, which needs ``preset="default"``; for the other presets ``"eri"``.
        num_initial_trials: Trials before the model takes over, at least two. Attached trials
            count; failed and abandoned ones do not.
        seed: Seed of the design, the model and the optimizer. The same seed and results give
            the same candidates.
        preset: Name of the settings: ``"default"``, ``"paper"`` or ``"exact"``.
        initial_design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``, as in the paper.
        max_parallelism: While so many trials run, the model suggests none and Ax raises
            ``MaxParallelismReachedException``; by default any number may run. How many are
            suggested at a time is up to ``get_next_trials(max_trials=...)``.
        deduplicate: Whether a point that was already tried is rejected.
        device: Where to compute, such as ``"cuda:0"``; by default on the CPU. Ax computes in
            float64 everywhere.
        num_restarts: Starting points of BoTorch's optimizer, by default as many as the space and
            the acquisition function need. Without effect where every point of a discrete space is
            looked at.
        raw_samples: Points that the starting points are chosen from, likewise.

    Returns:
        A strategy for any goal that Ax can express: one metric, a weighted sum, several objectives,
        outcome constraints. Its suggestions carry the generator key ``"popbo-logei"``,
        ``"popbo-eri"`` or ``"popbo-rlcb"``; it never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_option("preset", preset, PresetName)
    if acquisition is None:
        acquisition = "logei" if preset == "default" else "eri"
    check_option("acquisition", acquisition, RankAcquisitionName)
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
    generator_kwargs = {
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
    }
    options = StrategyOptions(
        num_initial_trials,
        seed,
        initial_design,
        max_parallelism,
        deduplicate,
        device,
        num_restarts,
        raw_samples,
    )
    return two_step_strategy(f"popbo-{acquisition}", generator_kwargs, options)


def gp_generation_strategy(
    acquisition: GPAcquisitionName = "logei",
    num_initial_trials: int = 12,
    seed: int = 0,
    *,
    initial_design: InitialDesign = "sobol",
    max_parallelism: int | None = None,
    deduplicate: bool = True,
    device: str | None = None,
    num_restarts: int | None = None,
    raw_samples: int | None = None,
) -> GenerationStrategy:
    """An initial design followed by Ax's Gaussian process, for comparison.

    Args:
        acquisition: ``"logei"``, ``"ucb"`` (with beta 4) or ``"qlognei"``. Only ``"qlognei"``
            accepts trials that run in parallel.
        num_initial_trials: Trials before the model takes over. Attached trials count; failed and
            abandoned ones do not.
        seed: Seed of the design. The optimizer of a GP strategy follows
            ``Client(random_seed=...)``.
        initial_design: As in :func:`popbo_generation_strategy`, like all options below.
        max_parallelism: While so many trials run, none is suggested.
        deduplicate: Whether a point that was already tried is rejected.
        device: Where to compute.
        num_restarts: Starting points of BoTorch's optimizer. Ax refuses it on fully discrete
            spaces, as it does ``raw_samples``.
        raw_samples: Points that the starting points are chosen from.

    Returns:
        A strategy whose suggestions carry the generator key ``"gp-logei"``, ``"gp-ucb"`` or
        ``"gp-qlognei"``; it never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_option("acquisition", acquisition, GPAcquisitionName)
    acqf_class, acqf_options = _GP_ACQUISITIONS[acquisition]
    generator_kwargs = {
        "botorch_acqf_class": acqf_class,
        "botorch_acqf_options": acqf_options,
        "transforms": _GP_TRANSFORMS,
    }
    options = StrategyOptions(
        num_initial_trials,
        seed,
        initial_design,
        max_parallelism,
        deduplicate,
        device,
        num_restarts,
        raw_samples,
    )
    return two_step_strategy(f"gp-{acquisition}", generator_kwargs, options)


def generation_strategies(
    names: Sequence[str] = ("popbo-logei", "gp-logei"), **options: Any
) -> dict[str, GenerationStrategy]:
    """Several strategies with the same options, to run side by side.

    Args:
        names: Which ones: ``"popbo-"``, ``"paper-"``, ``"exact-"`` or ``"gp-"`` and the name of an
            acquisition function, such as ``"paper-rlcb"``.
        options: Options of all of them; see :func:`popbo_generation_strategy`.

    Returns:
        The strategies by name, in the order asked for.

    Raises:
        UserInputError: If a name is unknown or an option is out of range.
    """
    families: dict[str, Callable[..., GenerationStrategy]] = {
        "popbo": popbo_generation_strategy,
        "paper": partial(popbo_generation_strategy, preset="paper"),
        "exact": partial(popbo_generation_strategy, preset="exact"),
        "gp": gp_generation_strategy,
    }
    strategies = {}
    for name in names:
        family, _, acquisition = name.partition("-")
        if family not in families:
            raise UserInputError(
                f"Unknown strategy {name!r}; names begin with {', '.join(families)}, followed by "
                "a dash and an acquisition function."
            )
        strategies[name] = families[family](acquisition, **options)
    return strategies
