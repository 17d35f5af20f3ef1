"""The nodes of a generation strategy: an initial design, and a rank model after it."""

import math
from contextlib import suppress
from copy import deepcopy
from typing import Any, Literal, Self, Unpack, cast, get_args

from ax.adapter.registry import Cont_X_trans, Generators
from ax.core.arm import Arm
from ax.core.base_trial import BaseTrial
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.generator_run import GeneratorRun
from ax.core.observation import ObservationFeatures
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import SearchSpaceExhausted
from ax.exceptions.generation_strategy import GenerationStrategyRepeatedPoints
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MaxGenerationParallelism, MinTrials
from ax.storage.json_store.decoder import generation_node_from_json
from botorch.acquisition import AcquisitionFunction

from botorch_popbo._seeds import seeded
from botorch_popbo.ax._checks import check_name, check_whole
from botorch_popbo.ax._progress import (
    DistinctPoints,
    check_metrics,
    num_left,
    warn_of_long_design,
)
from botorch_popbo.ax.generator_spec import (
    NodeOptions,
    PresetName,
    RankAcquisitionName,
    rank_generator_spec,
    settle_seeds,
)

InitialDesign = Literal["sobol", "uniform"]

#: Points without an outcome, by the metric.
Pending = dict[str, list[ObservationFeatures]]


class RankNode(GenerationNode):
    """A node that knows every trial, and never falls back to another generator.

    It drops four of Ax's habits: to suggest points of a Sobol sequence where a suggestion
    repeats a point (``fallback_specs`` say otherwise, but are not stored), to forget where failed
    trials and abandoned ones with data were, to leave trials outside of the search space out of the
    model unless they were there when its adapter was made, and to search on for an objective that
    was changed.

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
        return cast(Self, node)

    def gen(
        self, *, experiment: Experiment, pending_observations: Pending | None, **options: Any
    ) -> GeneratorRun | None:
        """Suggest points with all trials in mind that Ax forgets, and no global random numbers.

        See :meth:`ax.generation_strategy.generation_node.GenerationNode.gen`.
        """
        self._settle_seeds()
        # Integers under linear constraints are rounded up or down at random.
        with seeded(len(experiment.trials)):
            return super().gen(
                experiment=experiment,
                pending_observations=_with_forgotten(pending_observations, experiment),
                **options,
            )

    def _settle_seeds(self) -> None:
        """Draw the seed of the whole strategy at its first use, if it was left open."""
        strategy = self._generation_strategy
        nodes = [self] if strategy is None else strategy.nodes_by_name.values()
        settle_seeds(n.generator_spec for n in nodes if isinstance(n, RankNode))

    def _fit(self, experiment: Experiment, data: Data | None = None, **kwargs: Any) -> None:
        self._settle_seeds()
        space = experiment.search_space
        is_inside = (
            space.check_membership(arm.parameters, check_all_parameters_present=False)
            for arm in experiment.arms_by_name.values()
        )
        adapter = self.generator_spec._fitted_adapter
        has_changed = adapter and adapter._optimization_config != experiment.optimization_config
        if has_changed or not all(is_inside):
            # Ax then makes another adapter, for what it is after now, and of a space that reaches
            # to all trials.
            self.generator_spec._fitted_adapter = None
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

    _has_warned = False

    def gen(
        self,
        *,
        experiment: Experiment,
        pending_observations: Pending | None,
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

        Warns:
            UserWarning: Once, if the design has become twice as long as it should be.
        """
        takes_over, name = GenerationNode.should_transition_to_next_node(self, False)
        if raise_data_required_error and not takes_over:
            check_metrics(self.experiment, self.num_trials)
            if not self._has_warned:
                self._has_warned = warn_of_long_design(self.experiment, self.num_trials)
            return super().should_transition_to_next_node()
        return takes_over, name


def initial_node(
    next_node_name: str,
    num_trials: int = 12,
    seed: int | None = None,
    design: InitialDesign = "sobol",
) -> GenerationNode:
    """The initial design, which ends as soon as half of its trials have ended with data.

    At least two of them have to be distinct points. A design whose trials are complete without a
    metric of the goal raises Ax's ``DataRequiredError``, and one that has tried every point of the
    space ``SearchSpaceExhausted``.

    Args:
        next_node_name: Name of the node that takes over.
        num_trials: Trials before that. Attached trials count; failed and abandoned ones do not.
        seed: Seed of the design; see :func:`popbo_generation_strategy`.
        design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``, as in the paper.

    Returns:
        The node, named after the design.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("design", design, get_args(InitialDesign))
    num_trials = check_whole("num_trials", num_trials, 1)
    if seed is not None:
        seed = check_whole("seed", seed, 0) % (2**63 if design == "sobol" else 2**32)
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
    half = min(max(num_trials // 2, 2), num_trials)
    return DesignNode(
        name=design,
        generator_specs=[spec],
        # A design of one trial is one beside sources.
        transition_criteria=[enough, DistinctPoints(next_node_name, num_trials == 1, half)],
        should_deduplicate=True,
    )


def popbo_node(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    seed: int | None = None,
    preset: PresetName = "default",
    **options: Unpack[NodeOptions],
) -> GenerationNode:
    """Search with a model of the order of the outcomes.

    Args:
        acquisition: ``"logei"`` (expected improvement of the utility behind the ranks, or of the
            front of several), ``"eri"`` (expected ranking improvement), ``"rlcb"`` (rectified lower
            confidence bound), or any acquisition function's class that Ax's storage knows. By
            default ``"logei"``, which needs ``preset="default"``; for the other presets ``"eri"``.
        seed: Seed of the model and the optimizer; see :func:`popbo_generation_strategy`.
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
    spec = rank_generator_spec(acquisition, seed, preset, options)
    at_most = options.get("max_parallelism")
    running: dict[str, Any] = {
        "only_in_statuses": [TrialStatus.RUNNING],
        "use_all_trials_in_exp": True,
    }
    pauses = [] if at_most is None else [MaxGenerationParallelism(threshold=at_most, **running)]
    return RankNode(
        name=spec.generator_key,
        generator_specs=[spec],
        pausing_criteria=pauses,
        should_deduplicate=True,
    )


def _with_forgotten(pending: Pending | None, experiment: Experiment) -> Pending:
    """What is pending, with the points of trials that Ax forgets.

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
    # Copies: Ax encodes the points of one metric after the other, in place.
    return {
        name: deepcopy([*sorted(given.get(name, []), key=_age), *forgotten]) for name in metrics
    }


def _forgotten_arms(trial: BaseTrial, told: set[str]) -> list[Arm]:
    """Those arms of a trial that Ax forgets, given the names of those with data."""
    status = trial.status
    if status.is_failed or status.is_abandoned:
        return trial.arms if status.is_failed or told else []
    silent = [arm for arm in trial.arms if status.is_completed and arm.name not in told]
    return [*trial.abandoned_arms, *silent]


def _age(point: ObservationFeatures) -> float:
    """The number of a point's trial; one that is only about to have a trial is the youngest."""
    return math.inf if point.trial_index is None else float(point.trial_index)
