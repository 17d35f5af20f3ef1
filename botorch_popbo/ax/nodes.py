"""The nodes of a generation strategy: an initial design, a rank model, a Gaussian process.

They are joined in any order, as in Sobol, then PoPBO, then a Gaussian process:

.. code-block:: python

    GenerationStrategy(
        nodes=[
            initial_node(next_node_name="popbo-logei", num_trials=8),
            popbo_node(next_node_name="gp-qlognei", num_trials=20),
            gp_node("qlognei"),
        ]
    )
"""

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Unpack, get_args

import pandas as pd
import torch
from ax.adapter.registry import Cont_X_trans, Generators, Mixed_transforms, Y_trans
from ax.adapter.transforms.choice_encode import ChoiceToNumericChoice
from ax.adapter.transforms.derelativize import Derelativize
from ax.adapter.transforms.int_to_float import IntToFloat
from ax.adapter.transforms.log import Log
from ax.adapter.transforms.logit import Logit
from ax.adapter.transforms.map_key_to_float import MapKeyToFloat
from ax.adapter.transforms.remove_fixed import RemoveFixed
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MaxGenerationParallelism, MinTrials
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogNoisyExpectedImprovement,
)
from botorch.models.model import Model

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax._adapter import RankGenerators
from botorch_popbo.ax._checks import check_device, check_given_whole, check_whole
from botorch_popbo.ax._criteria import DistinctPoints, MetricsMissing
from botorch_popbo.ax._hierarchy import OrderedLeafToIntegerRange
from botorch_popbo.ax._rounding import ReproducibleIntToFloat
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.failures import FailedTrialsLast
from botorch_popbo.ax.sources import as_evaluations
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.ax.transforms import MaximizeObjective
from botorch_popbo.models import PoissonRankModel, RankingGP

InitialDesign = Literal["sobol", "uniform"]
PresetName = Literal["default", "paper", "exact"]
RankAcquisitionName = Literal["logei", "eri", "rlcb"]
GPAcquisitionName = Literal["logei", "ucb", "qlognei"]

_DESIGNS = {"sobol": Generators.SOBOL, "uniform": Generators.UNIFORM}
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

# The model of each preset and its options, and options of the lower confidence bound.
_PRESETS: dict[str, tuple[type[Model], dict[str, Any], dict[str, Any]]] = {
    "default": (RankingGP, {}, {}),
    "paper": (PoissonRankModel, {"untruncated_from": 12}, {"poisson_deviation": True}),
    "exact": (PoissonRankModel, {}, {}),
}

# Ax's own but for the rounding.
_DESIGN_TRANSFORMS = [
    ReproducibleIntToFloat if transform is IntToFloat else transform for transform in Cont_X_trans
]

#: The transforms of a rank model, in this order.
# No outcome transform beside the sign: winsorising would tie distinct outcomes. Ordered choices
# become whole numbers, unordered ones keep a column each that the model encodes one-hot.
RANK_TRANSFORMS = [
    FailedTrialsLast,
    RemoveFixed,
    OrderedLeafToIntegerRange,
    ChoiceToNumericChoice,
    Log,
    Logit,
    Derelativize,
    MaximizeObjective,
]

#: What depends on what is kept: the model must not learn from parameters without a meaning.
RANK_TRANSFORM_CONFIGS: dict[str, Any] = {"Cast": {"flatten_hss": False}}

# Ax's default transforms but for the one-hot relaxation of categories, whose candidates round to
# points already evaluated; here the kernel handles categories.
_GP_TRANSFORMS = [MapKeyToFloat, *Mixed_transforms, *Y_trans]


class NodeOptions(TypedDict, total=False):
    """What every node with a model can be told.

    Attributes:
        max_parallelism: While so many trials run, the node suggests none and Ax raises
            ``MaxParallelismReachedException``; by default any number may run. How many are
            suggested at a time is up to ``get_next_trials(max_trials=...)``.
        deduplicate: Whether a point that was already tried is rejected, as it is by default.
        device: Where to compute, such as ``"cuda:0"``; by default on the CPU. Ax computes in
            float64 everywhere.
        num_restarts: Starting points of BoTorch's optimizer, by default as many as the space and
            the acquisition function need. Without effect where every point of a discrete space is
            looked at; Ax's Gaussian process refuses it there.
        raw_samples: Points that the starting points are chosen from, likewise.
        sources: Tables of earlier experiments over the same parameters, for the default preset: a
            row for each evaluation and a column for each parameter and metric, as
            ``client.summarize()`` returns them.
    """

    max_parallelism: int | None
    deduplicate: bool
    device: str | None
    num_restarts: int | None
    raw_samples: int | None
    sources: Sequence[pd.DataFrame]


def initial_node(
    next_node_name: str,
    num_trials: int = 12,
    seed: int = 0,
    design: InitialDesign = "sobol",
    deduplicate: bool = True,
) -> GenerationNode:
    """The initial design, which ends as soon as half of its trials are complete.

    At least two of them have to be distinct points. A design whose trials are complete without a
    metric of the goal raises Ax's ``DataRequiredError``.

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
    _check_name("initial_design", design, InitialDesign)
    check_given_whole("num_initial_trials", num_trials, 1)
    check_given_whole("seed", seed, 0)
    return GenerationNode(
        name=design,
        generator_specs=[
            GeneratorSpec(
                generator_enum=_DESIGNS[design],
                generator_kwargs={"seed": seed, "transforms": _DESIGN_TRANSFORMS},
            )
        ],
        transition_criteria=[
            _enough_trials(num_trials, next_node_name),
            # Trials still running have no rank, so the model waits for half of the design.
            MinTrials(
                threshold=min(max(num_trials // 2, 2), num_trials),
                transition_to=next_node_name,
                use_all_trials_in_exp=True,
                only_in_statuses=[TrialStatus.COMPLETED],
                count_only_trials_with_data=True,
            ),
            # Beside sources a single point is enough.
            *([DistinctPoints(next_node_name)] if num_trials > 1 else []),
        ],
        pausing_criteria=[MetricsMissing(num_trials)],
        should_deduplicate=deduplicate,
    )


def popbo_node(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    seed: int = 0,
    preset: PresetName = "default",
    *,
    next_node_name: str | None = None,
    num_trials: int | None = None,
    **options: Unpack[NodeOptions],
) -> GenerationNode:
    """Search with a model of the order of the outcomes.

    Args:
        acquisition: ``"logei"`` (expected improvement of the utility behind the ranks, or of the
            front of several), ``"eri"`` (expected ranking improvement), ``"rlcb"`` (rectified lower
            confidence bound), or any acquisition function's class that Ax's storage knows. By
            default ``"logei"``, which needs ``preset="default"``; for the other presets ``"eri"``.
        seed: Seed of the model and the optimizer.
        preset: ``"default"``, a :class:`~botorch_popbo.RankingGP`; ``"paper"``, the network of Wang
            et al. (2023); or ``"exact"``, the same with the truncated law and its exact standard
            deviation throughout.
        next_node_name: Name of the node that takes over, if any does.
        num_trials: Trials of the whole experiment before that.
        **options: See :class:`NodeOptions`.

    Returns:
        The node, whose name and generator key is ``"popbo-"`` and the name of the acquisition
        function. It never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    _check_name("preset", preset, PresetName)
    check_given_whole("seed", seed, 0)
    if acquisition is None:
        acquisition = "logei" if preset == "default" else "eri"
    name, acquisition_class = _rank_acquisition(acquisition)
    model_class, model_options, deviation = _PRESETS[preset]
    if acquisition_class is LogExpectedUtilityImprovement and model_class is not RankingGP:
        raise UserInputError(
            f'acquisition="logei" needs a model with uncertainty, which preset={preset!r} has not; '
            'use preset="default", or acquisition="eri" or "rlcb".'
        )
    acquisition_options: dict[str, Any] = {}
    if acquisition_class in (ExpectedRankingImprovement, RectifiedLowerConfidenceBound):
        acquisition_options["seed"] = seed
    if acquisition_class is RectifiedLowerConfidenceBound:
        acquisition_options |= deviation
    sources = as_evaluations(options.get("sources", ()))
    if sources and model_class is not RankingGP:
        raise UserInputError(f'sources need preset="default"; got preset={preset!r}.')
    if model_class is PoissonRankModel:
        model_options = {**model_options, "seed": seed}
    config = ModelConfig(botorch_model_class=model_class, model_options=model_options, name=preset)
    generator_kwargs = {
        # Predictions of held-out points would otherwise come from a model that saw them.
        "surrogate": RankSurrogate(
            SurrogateSpec(model_configs=[config]), refit_on_cv=True, warm_start_refit=False
        ),
        "botorch_acqf_class": acquisition_class,
        "botorch_acqf_options": acquisition_options,
        "acquisition_class": RankAcquisition,
        "acquisition_options": {"seed": seed},
        "transforms": RANK_TRANSFORMS,
        "transform_configs": RANK_TRANSFORM_CONFIGS,
        "fit_tracking_metrics": model_class is RankingGP,
        "refit_on_cv": True,
        "warm_start_refit": False,
    }
    if sources:
        generator_kwargs["sources"] = sources
    return _model_node(f"popbo-{name}", generator_kwargs, next_node_name, num_trials, options)


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
    _check_name("acquisition", acquisition, GPAcquisitionName)
    if options.get("sources"):
        raise UserInputError("A Gaussian process of Ax takes no sources; use popbo_node.")
    acquisition_class, acquisition_options = _GP_ACQUISITIONS[acquisition]
    generator_kwargs = {
        "botorch_acqf_class": acquisition_class,
        "botorch_acqf_options": acquisition_options,
        "transforms": _GP_TRANSFORMS,
    }
    return _model_node(f"gp-{acquisition}", generator_kwargs, next_node_name, num_trials, options)


def _model_node(
    name: str,
    generator_kwargs: dict[str, Any],
    next_node_name: str | None,
    num_trials: int | None,
    options: NodeOptions,
) -> GenerationNode:
    _check_options(options)
    device, parallelism = options.get("device"), options.get("max_parallelism")
    if device is not None:
        generator_kwargs = {**generator_kwargs, "torch_device": torch.device(device)}
    sizes = {name: options.get(name) for name in ("num_restarts", "raw_samples")}
    given = {name: value for name, value in sizes.items() if value is not None}
    spec = GeneratorSpec(
        generator_enum=(
            RankGenerators.WITH_SOURCES
            if "sources" in generator_kwargs
            else Generators.BOTORCH_MODULAR
        ),
        generator_kwargs=generator_kwargs,
        generator_gen_kwargs={"model_gen_options": {"optimizer_kwargs": given}} if given else {},
        generator_key_override=name,
    )
    check_whole(num_trials=num_trials)
    if (next_node_name is None) != (num_trials is None):
        raise UserInputError("next_node_name and num_trials go together: who takes over, and when.")
    pause = MaxGenerationParallelism(
        threshold=parallelism or 1,
        only_in_statuses=[TrialStatus.RUNNING],
        use_all_trials_in_exp=True,
    )
    return GenerationNode(
        name=name,
        generator_specs=[spec],
        transition_criteria=(
            []
            if next_node_name is None or num_trials is None
            else [_enough_trials(num_trials, next_node_name)]
        ),
        pausing_criteria=[] if parallelism is None else [pause],
        should_deduplicate=options.get("deduplicate", True),
        fallback_specs={},
    )


def _enough_trials(number: int, next_node_name: str) -> MinTrials:
    return MinTrials(
        threshold=number,
        transition_to=next_node_name,
        use_all_trials_in_exp=True,
        not_in_statuses=[TrialStatus.FAILED, TrialStatus.ABANDONED],
    )


def _rank_acquisition(
    acquisition: str | type[AcquisitionFunction],
) -> tuple[str, type[AcquisitionFunction]]:
    """Name and class of an acquisition function."""
    if not isinstance(acquisition, type):
        _check_name("acquisition", acquisition, RankAcquisitionName)
        return acquisition, _RANK_ACQUISITIONS[acquisition]
    if not issubclass(acquisition, AcquisitionFunction):
        raise UserInputError(f"{acquisition.__name__} is no acquisition function of BoTorch.")
    names = {known: name for name, known in _RANK_ACQUISITIONS.items()}
    return names.get(acquisition, acquisition.__name__), acquisition


def _check_name(name: str, value: object, known: Any) -> None:
    if value not in get_args(known):
        raise UserInputError(f"Unknown {name} {value!r}; known: {', '.join(get_args(known))}.")


def _check_options(options: NodeOptions) -> None:
    unknown = sorted(set(options) - set(NodeOptions.__annotations__))
    if unknown:
        known = ", ".join(NodeOptions.__annotations__)
        raise UserInputError(f"Unknown options {', '.join(unknown)}; known: {known}.")
    check_whole(
        max_parallelism=options.get("max_parallelism"),
        num_restarts=options.get("num_restarts"),
        raw_samples=options.get("raw_samples"),
    )
    restarts, samples = options.get("num_restarts"), options.get("raw_samples")
    if restarts is not None and samples is not None and samples < restarts:
        raise UserInputError(
            f"raw_samples is at least num_restarts, whose points come from them; got {samples} and "
            f"{restarts}."
        )
    if not isinstance(options.get("deduplicate", True), bool):
        raise UserInputError(f"deduplicate is True or False; got {options['deduplicate']!r}.")
    check_device(options.get("device"))
