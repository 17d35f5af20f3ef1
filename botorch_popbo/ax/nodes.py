"""The nodes of a generation strategy: an initial design, and a rank model after it."""

import math
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Literal, Self, TypedDict, Unpack, get_args

import pandas as pd
import torch
from ax.adapter.registry import Cont_X_trans, Generators
from ax.adapter.transforms.choice_encode import ChoiceToNumericChoice
from ax.adapter.transforms.derelativize import Derelativize
from ax.adapter.transforms.log import Log
from ax.adapter.transforms.logit import Logit
from ax.adapter.transforms.remove_fixed import RemoveFixed
from ax.core.arm import Arm
from ax.core.base_trial import BaseTrial
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.generator_run import GeneratorRun
from ax.core.observation import ObservationFeatures
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import SearchSpaceExhausted, UserInputError
from ax.exceptions.generation_strategy import GenerationStrategyRepeatedPoints
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MaxGenerationParallelism, MinTrials
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from ax.storage.json_store.decoder import generation_node_from_json
from ax.utils.common.random import with_rng_seed
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax._checks import check_device, check_name, check_whole
from botorch_popbo.ax._ordered_choices import OrderedLeafToIntegerRange
from botorch_popbo.ax._progress import DistinctPoints, check_metrics, enough_data, num_left
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.failures import FailedTrialsLast
from botorch_popbo.ax.sources import LearnFromSources, as_evaluations
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.ax.transforms import MaximizeObjective
from botorch_popbo.models import PoissonRankModel, RankingGP
from botorch_popbo.settings import Settings

PresetName = Literal["default", "paper", "exact"]
RankAcquisitionName = Literal["logei", "eri", "rlcb"]
InitialDesign = Literal["sobol", "uniform"]

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

#: The model must not learn from parameters without a meaning, which depend on what is kept. And
#: what is relative is so to the baseline as measured: its prediction is an average over ranks.
RANK_TRANSFORM_CONFIGS: dict[str, Any] = {
    "Cast": {"flatten_hss": False},
    "Derelativize": {"use_raw_status_quo": True},
}

_RANK_ACQUISITIONS: dict[str, type[AcquisitionFunction]] = {
    "logei": LogExpectedUtilityImprovement,
    "eri": ExpectedRankingImprovement,
    "rlcb": RectifiedLowerConfidenceBound,
}
_PRESETS: dict[str, type[Model]] = {
    "default": RankingGP,
    "paper": PoissonRankModel,
    "exact": PoissonRankModel,
}


class NodeOptions(TypedDict, total=False):
    """What a node with a rank model can be told.

    Attributes:
        max_parallelism: While so many trials run, the node suggests none and Ax raises
            ``MaxParallelismReachedException``; by default any number may run. How many are
            suggested at a time is up to ``get_next_trials(max_trials=...)``.
        device: Where to compute, such as ``"cuda:0"``; by default on the CPU. Ax computes in
            float64 everywhere.
        num_restarts: Starting points of BoTorch's optimizer, by default as many as the space and
            the acquisition function need. Without effect where every point of a discrete space is
            looked at.
        raw_samples: Points that the starting points are chosen from, likewise.
        sources: Tables of earlier experiments over the same parameters, for the default preset: a
            row for each evaluation and a column for each parameter and metric, as
            ``client.summarize()`` returns them.
        order_only: Whether the default preset hears nothing of how far apart outcomes are, so that
            any increasing transform of a metric gives the same suggestions bit for bit.
        simplify_parameter_changes: As in Ax's own strategies, whether parameters that hardly matter
            go back to ``configure_optimization(pruning_target_parameterization=...)``.
        settings: Numbers that change a suggestion, of the model, what is maximised and the search.
    """

    max_parallelism: int | None
    device: str | None
    num_restarts: int | None
    raw_samples: int | None
    sources: Iterable[pd.DataFrame]
    order_only: bool
    simplify_parameter_changes: bool
    settings: Settings


class RankNode(GenerationNode):
    """A node that knows every trial, and never falls back to another generator.

    Of Ax's own habits it leaves three: to suggest points of a Sobol sequence where a suggestion
    repeats a point (``fallback_specs`` say otherwise, but are not stored), to forget where failed
    trials and abandoned ones with data were, and to leave trials outside of the search space out of
    the model unless they were there when its adapter was made.

    Args:
        **options: See :class:`ax.generation_strategy.generation_node.GenerationNode`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, fallback_specs={})

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """A node out of what Ax stored of it, which differs from one of Ax by its class alone."""
        node: Any = generation_node_from_json(stored)
        node.__class__, node.fallback_specs = cls, {}
        own: Self = node
        return own

    def gen(
        self,
        *,
        experiment: Experiment,
        pending_observations: dict[str, list[ObservationFeatures]] | None,
        **options: Any,
    ) -> GeneratorRun | None:
        """Suggest points with all trials in mind that Ax forgets, and no global random numbers.

        See :meth:`ax.generation_strategy.generation_node.GenerationNode.gen`.
        """
        # Integers under linear constraints are rounded up or down at random.
        with with_rng_seed(len(experiment.trials)):
            return super().gen(
                experiment=experiment,
                pending_observations=_with_forgotten(pending_observations, experiment),
                **options,
            )

    def _fit(self, experiment: Experiment, data: Data | None = None, **kwargs: Any) -> None:
        space = experiment.search_space
        is_inside = (
            space.check_membership(arm.parameters, check_all_parameters_present=False)
            for arm in experiment.arms_by_name.values()
        )
        if not all(is_inside):
            # Another list makes Ax make another adapter, of a space that reaches to all trials.
            for spec in self.generator_specs:
                made_of: dict[str, Any] = spec.generator_kwargs
                spec.generator_kwargs = made_of | {"transforms": [*made_of["transforms"]]}
        super()._fit(experiment, data, **kwargs)

    def should_transition_to_next_node(
        self, raise_data_required_error: bool = True
    ) -> tuple[bool, str]:
        """Whether the next node takes over, and which node suggests.

        Raises:
            SearchSpaceExhausted: If every point is evaluated or running.
        """
        takes_over, name = super().should_transition_to_next_node(raise_data_required_error)
        if raise_data_required_error and not takes_over and num_left(self.experiment) == 0:
            raise SearchSpaceExhausted(
                "No point is left: each one of the search space is evaluated or running. Widen the "
                "space, or complete what is running."
            )
        return takes_over, name

    def new_trial_limit(self, raise_generation_errors: bool = False) -> int:
        """No more trials at a time than a space without a range of any numbers has left.

        Of a batch that asks for more Ax would lose those that there are.
        """
        limit = super().new_trial_limit(raise_generation_errors)
        left = num_left(self.experiment)
        if math.isinf(left):
            return limit
        return int(left) if limit < 0 else min(limit, int(left))


class DesignNode(RankNode):
    """An initial design, which draws no point that was tried before, whatever became of it.

    Ax draws those of failed trials again and, where parameters depend on others, those that differ
    in parameters without a meaning only.
    """

    def gen(
        self,
        *,
        experiment: Experiment,
        pending_observations: dict[str, list[ObservationFeatures]] | None,
        skip_fit: bool = False,
        **options: Any,
    ) -> GeneratorRun | None:
        """Draw until a point is new; see :class:`RankNode`.

        Raises:
            SearchSpaceExhausted: If none is found.
        """
        pending = [p for points in (pending_observations or {}).values() for p in points]
        known = {Arm(point.parameters).signature for point in pending}
        known |= experiment.arms_by_signature.keys()
        with suppress(SearchSpaceExhausted):  # says nothing of points
            # Only where nearly all points were tried does none of so many draws find a new one.
            for draw in range(200):
                with suppress(GenerationStrategyRepeatedPoints):
                    run = super().gen(
                        experiment=experiment,
                        pending_observations=pending_observations,
                        skip_fit=skip_fit or draw > 0,
                        **options,
                    )
                    if run is None or known.isdisjoint(arm.signature for arm in run.arms):
                        return run
        raise SearchSpaceExhausted(
            "No point is found that was not tried before. Widen the search space, or begin with "
            "fewer trials."
        )

    def should_transition_to_next_node(
        self, raise_data_required_error: bool = True
    ) -> tuple[bool, str]:
        """Whether the model takes over, and which node suggests; see :class:`RankNode`.

        Raises:
            DataRequiredError: If trials are complete, but a metric of the goal has not arrived.
        """
        takes_over, name = GenerationNode.should_transition_to_next_node(self, False)
        if raise_data_required_error and not takes_over:
            enough: Any = self.transition_criteria[0]
            check_metrics(self.experiment, enough.threshold)
            return super().should_transition_to_next_node()
        return takes_over, name


def initial_node(
    next_node_name: str, num_trials: int = 12, seed: int = 0, design: InitialDesign = "sobol"
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

    Returns:
        The node, named after the design.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("design", design, get_args(InitialDesign))
    num_trials = check_whole("num_trials", num_trials, 1)
    seed = check_whole("seed", seed, 0)
    spec = GeneratorSpec(
        generator_enum=Generators.SOBOL if design == "sobol" else Generators.UNIFORM,
        generator_kwargs={"seed": seed, "transforms": Cont_X_trans},
        generator_key_override=design.capitalize(),
    )
    enough = MinTrials(
        threshold=num_trials,
        transition_to=next_node_name,
        use_all_trials_in_exp=True,
        not_in_statuses=[TrialStatus.FAILED, TrialStatus.ABANDONED],
    )
    # Trials still running have no rank, so the model waits for half of the design.
    half = enough_data(min(max(num_trials // 2, 2), num_trials), next_node_name)
    return DesignNode(
        name=design,
        generator_specs=[spec],
        # A design of one trial is one beside sources.
        transition_criteria=[enough, half, DistinctPoints(next_node_name, num_trials == 1)],
        should_deduplicate=True,
    )


def popbo_node(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    seed: int = 0,
    preset: PresetName = "default",
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
        **options: See :class:`NodeOptions`.

    Returns:
        The node, whose name and generator key is ``"popbo-"`` and the name of the acquisition
        function. It never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("preset", preset, _PRESETS)
    _check_options(options)
    seed, settings = check_whole("seed", seed, 0), options.get("settings") or Settings()
    settings = settings.with_order_only(options.get("order_only", False))
    is_gp = _PRESETS[preset] is RankingGP
    name, acquisition_class = _named(acquisition or ("logei" if is_gp else "eri"))
    if acquisition_class is LogExpectedUtilityImprovement and not is_gp:
        raise UserInputError(
            f'acquisition="logei" needs a model with uncertainty, which preset={preset!r} has not; '
            'use preset="default", or acquisition="eri" or "rlcb".'
        )
    sources = as_evaluations(options.get("sources", ()))
    if sources and not is_gp:
        raise UserInputError(f'sources need preset="default"; got preset={preset!r}.')
    model_options: dict[str, Any] = {"settings": settings.model if is_gp else settings.paper}
    if not is_gp:
        model_options["seed"] = seed
    if preset == "paper":
        model_options["untruncated_from"] = settings.paper.untruncated_from
    model = ModelConfig(
        botorch_model_class=_PRESETS[preset], model_options=model_options, name=preset
    )
    generator_kwargs: dict[str, Any] = {
        # Predictions of held-out points would otherwise come from a model that saw them.
        "surrogate": RankSurrogate(
            SurrogateSpec(model_configs=[model]), refit_on_cv=True, warm_start_refit=False
        ),
        "botorch_acqf_class": acquisition_class,
        "botorch_acqf_options": _acquisition_options(acquisition_class, preset, seed, settings),
        "acquisition_class": RankAcquisition,
        "acquisition_options": {
            "seed": seed,
            "settings": settings,
            "prune_irrelevant_parameters": options.get("simplify_parameter_changes", False),
        },
        "transforms": RANK_TRANSFORMS,
        "transform_configs": RANK_TRANSFORM_CONFIGS,
        "fit_tracking_metrics": is_gp,
        "refit_on_cv": True,
        "warm_start_refit": False,
    }
    if sources:
        told = {"LearnFromSources": {"sources": sources}}
        generator_kwargs["transforms"] = [*RANK_TRANSFORMS, LearnFromSources]
        generator_kwargs["transform_configs"] = RANK_TRANSFORM_CONFIGS | told
    if options.get("device") is not None:
        generator_kwargs["torch_device"] = torch.device(str(options["device"]))
    sizes = {key: options.get(key) for key in ("num_restarts", "raw_samples")}
    given = {key: value for key, value in sizes.items() if value is not None}
    spec = GeneratorSpec(
        generator_enum=Generators.BOTORCH_MODULAR,
        generator_kwargs=generator_kwargs,
        generator_gen_kwargs={"model_gen_options": {"optimizer_kwargs": given}} if given else {},
        generator_key_override=f"popbo-{name}",
    )
    at_most = options.get("max_parallelism")
    running: dict[str, Any] = {
        "only_in_statuses": [TrialStatus.RUNNING],
        "use_all_trials_in_exp": True,
    }
    pauses = [] if at_most is None else [MaxGenerationParallelism(threshold=at_most, **running)]
    return RankNode(
        name=f"popbo-{name}",
        generator_specs=[spec],
        pausing_criteria=pauses,
        should_deduplicate=True,
    )


def _named(
    acquisition: str | type[AcquisitionFunction],
) -> tuple[str, type[AcquisitionFunction]]:
    """Name and class of an acquisition function."""
    if not isinstance(acquisition, type):
        check_name("acquisition", acquisition, _RANK_ACQUISITIONS)
        return acquisition, _RANK_ACQUISITIONS[acquisition]
    if not issubclass(acquisition, AcquisitionFunction):
        raise UserInputError(f"{acquisition.__name__} is no acquisition function of BoTorch.")
    names = {known: name for name, known in _RANK_ACQUISITIONS.items()}
    return names.get(acquisition, acquisition.__name__), acquisition


def _acquisition_options(
    acquisition: type[AcquisitionFunction], preset: PresetName, seed: int, settings: Settings
) -> dict[str, Any]:
    """What the paper's acquisition functions are told; the others need nothing."""
    paper = settings.paper
    own = settings.acquisition if preset == "default" else paper
    if acquisition is ExpectedRankingImprovement:
        return {"seed": seed, "K_m": own.worst_rank, "share": paper.eri_share}
    if acquisition is RectifiedLowerConfidenceBound:
        options = {"seed": seed, "beta": own.beta, "share": paper.rlcb_share}
        return options | {"poisson_deviation": preset == "paper"}
    return {}


def _check_options(options: NodeOptions) -> None:
    for name in options:
        check_name("option", name, NodeOptions.__annotations__)
    restarts, samples = options.get("num_restarts"), options.get("raw_samples")
    for name in ("max_parallelism", "num_restarts", "raw_samples"):
        if (value := options.get(name)) is not None:
            check_whole(name, value, 1)
    if restarts is not None and samples is not None and samples < restarts:
        raise UserInputError(
            f"raw_samples is at least num_restarts, whose points come from them; got {samples} and "
            f"{restarts}."
        )
    check_device(options.get("device"))


def _with_forgotten(
    pending: dict[str, list[ObservationFeatures]] | None, experiment: Experiment
) -> dict[str, list[ObservationFeatures]]:
    """What is pending by the metric, with the points of trials that Ax forgets.

    Those are failed trials, abandoned ones with data, and arms of batches that were abandoned or
    have no data. The oldest come first: of a hundred trials and more Ax reads them off a set, whose
    order is another one in a process that has loaded the experiment.
    """
    df = experiment.lookup_data().df
    told = df.groupby("trial_index")["arm_name"].agg(set).to_dict()
    forgotten = [
        ObservationFeatures.from_arm(arm, trial.index)
        for trial in experiment.trials.values()
        for arm in _forgotten_arms(trial, told.get(trial.index, set()))
        if experiment.search_space.check_membership(arm.parameters)
    ]
    given = pending or {}
    metrics = [*experiment.metrics] if forgotten else [*given]
    return {name: [*sorted(given.get(name, []), key=_age), *forgotten] for name in metrics}


def _forgotten_arms(trial: BaseTrial, told: set[str]) -> list[Arm]:
    """Those arms of a trial that Ax forgets, given the names of those with data."""
    if trial.status.is_failed or (trial.status.is_abandoned and told):
        return trial.arms
    if trial.status.is_abandoned:
        return []
    silent = (
        [arm for arm in trial.arms if arm.name not in told] if trial.status.is_completed else []
    )
    return [*trial.abandoned_arms, *silent]


def _age(point: ObservationFeatures) -> float:
    """The number of a point's trial; one that is only about to have a trial is the youngest."""
    return math.inf if point.trial_index is None else float(point.trial_index)
