"""What Ax lacks in the nodes of a strategy: all trials in mind, and an end in time."""

import math
from contextlib import suppress
from copy import deepcopy
from typing import Any, Self

import torch
from ax.core.arm import Arm
from ax.core.base_trial import BaseTrial
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.generator_run import GeneratorRun
from ax.core.observation import ObservationFeatures
from ax.core.optimization_config import OptimizationConfig
from ax.exceptions.core import SearchSpaceExhausted
from ax.exceptions.generation_strategy import GenerationStrategyRepeatedPoints
from ax.generation_strategy.generation_node import GenerationNode
from ax.storage.json_store.decoder import generation_node_from_json

from botorch_popbo._plain import Value
from botorch_popbo._reproducible import seeded
from botorch_popbo.acquisition import LogExpectedUtilityImprovement
from botorch_popbo.ax._progress import check_metrics, num_left, warn_of_long_design
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.surrogate import RankSurrogate

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

    #: What the adapter was made for.
    _goal: OptimizationConfig | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, should_deduplicate=True, fallback_specs={})

    @classmethod
    def from_json(cls, stored: dict[str, Value]) -> Self:
        """A node out of what Ax stored of it, which differs from one of Ax by its class alone."""
        node = generation_node_from_json(stored)
        node.__class__, node.fallback_specs = cls, {}
        assert isinstance(node, cls)
        return node

    def gen(
        self, *, experiment: Experiment, pending_observations: Pending | None, **options: Any
    ) -> GeneratorRun | None:
        """Suggest points with all trials in mind that Ax forgets, and no global random numbers.

        The run's metadata hold ``"why"``, a sentence for each arm, where an expected improvement of
        utilities is maximized.
        See :meth:`ax.generation_strategy.generation_node.GenerationNode.gen`.
        """
        self._settle_seeds()
        # Integers under linear constraints are rounded up or down at random.
        with seeded(len(experiment.trials)):
            run = super().gen(
                experiment=experiment,
                pending_observations=_with_forgotten(pending_observations or {}, experiment),
                **options,
            )
        if run is not None and maximizes_improvement(self):
            acquisition: RankAcquisition = self._fitted_adapter.generator._acquisition  # type: ignore[union-attr]
            best = run.best_arm_predictions and run.best_arm_predictions[0].parameters
            why = [acquisition.why(i, arm.parameters, best) for i, arm in enumerate(run.arms)]
            run._gen_metadata = (run.gen_metadata or {}) | {"why": why}
        return run

    def _settle_seeds(self) -> None:
        """Give a seed to the whole strategy at its first use, if it was left open.

        It is that of PyTorch's global generator, of which only the seed is read, so that its state
        stays as it is. Ax's benchmark seeds it for each replication, and
        ``Client(random_seed=...)`` for each suggestion.
        """
        seed = torch.initial_seed() % 2**32  # as NumPy needs for a uniform design
        for node in self.generation_strategy.nodes_by_name.values():
            arguments = node.generator_spec.generator_kwargs if isinstance(node, RankNode) else {}
            places = [arguments, arguments.get("acquisition_options", {})]
            if isinstance(surrogate := arguments.get("surrogate"), RankSurrogate):
                places += [c.model_options for c in surrogate.surrogate_spec.model_configs]
            for place in places:
                if place.get("seed", seed) is None:
                    place["seed"] = seed

    def _fit(self, experiment: Experiment, data: Data | None = None, **kwargs: Any) -> None:
        self._settle_seeds()
        space, goal = experiment.search_space, experiment.optimization_config
        is_inside = (
            space.check_membership(arm.parameters, check_all_parameters_present=False)
            for arm in experiment.arms_by_name.values()
        )
        if goal != self._goal or not all(is_inside):
            # Where an argument is another object, Ax makes another adapter: for what it is after
            # now, and of a space that reaches to all trials.
            arguments = self.generator_spec.generator_kwargs
            arguments["transforms"] = [*arguments["transforms"]]
            self._goal = deepcopy(goal)
        super()._fit(experiment, data, **kwargs)

    def should_transition_to_next_node(
        self, raise_data_required_error: bool = True
    ) -> tuple[bool, str]:
        """Whether the next node takes over, and which node suggests.

        Raises:
            DataRequiredError: If trials are complete, but a metric of the goal has not arrived.
            SearchSpaceExhausted: If every point is evaluated or running.
        """
        takes_over, name = super().should_transition_to_next_node(False)
        if raise_data_required_error and not takes_over:
            self._check_progress()
            super().should_transition_to_next_node()
            if num_left(self.experiment) == 0:
                raise SearchSpaceExhausted(
                    "No point is left. Widen the space, or complete the running trials."
                )
        return takes_over, name

    def _check_progress(self) -> None:
        """Say why the node does not give way, if that is a reason to stop or to warn."""

    def new_trial_limit(self, raise_generation_errors: bool = False) -> int:
        """No more trials at a time than there are points left: of more Ax would lose all."""
        limit, left = super().new_trial_limit(raise_generation_errors), num_left(self.experiment)
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
            "No untried point was found. Widen the search space, or begin with fewer trials."
        )

    def _check_progress(self) -> None:
        """Say which metric has not arrived, and once that the design is twice as long as asked."""
        check_metrics(self.experiment, self.num_trials)
        if not self._has_warned:
            self._has_warned = warn_of_long_design(self.experiment, self.num_trials)


def maximizes_improvement(node: GenerationNode) -> bool:
    """Whether a node maximizes an expected improvement of utilities."""
    arguments = node.generator_spec.generator_kwargs if isinstance(node, RankNode) else {}
    return arguments.get("botorch_acqf_class") is LogExpectedUtilityImprovement


def _with_forgotten(pending: Pending, experiment: Experiment) -> Pending:
    """What is pending, with the points of trials that Ax forgets.

    Those are failed trials, abandoned ones with data, and arms of batches that were abandoned or
    have no data. The oldest come first: of a hundred trials and more Ax reads them off a set, whose
    order is another one in a process that has loaded the experiment.
    """
    measured = experiment.lookup_data().df.groupby("trial_index")["arm_name"].agg(set).to_dict()
    forgotten = [
        ObservationFeatures.from_arm(arm, trial.index)
        for trial in experiment.trials.values()
        for arm in _forgotten_arms(trial, measured.get(trial.index, set()))
        if experiment.search_space.check_membership(arm.parameters)
    ]
    # Copies: Ax encodes the points of one metric after the other, in place.
    return {
        name: deepcopy([*sorted(pending.get(name, []), key=_age), *forgotten])
        for name in (experiment.metrics if forgotten else pending)
    }


def _forgotten_arms(trial: BaseTrial, measured: set[str]) -> list[Arm]:
    """Those arms of a trial that Ax forgets, given the names of those with data."""
    status = trial.status
    if status.is_failed or status.is_abandoned:
        return trial.arms if status.is_failed or measured else []
    silent = [arm for arm in trial.arms if status.is_completed and arm.name not in measured]
    return [*trial.abandoned_arms, *silent]


def _age(point: ObservationFeatures) -> float:
    """The number of a point's trial; one that is only about to have a trial is the youngest."""
    return math.inf if point.trial_index is None else float(point.trial_index)
