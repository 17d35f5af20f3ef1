"""How far an experiment is: what has arrived, what can be compared, which points are left."""

import math
import warnings
from collections.abc import Iterable

from ax.core.experiment import Experiment
from ax.core.parameter import DerivedParameter
from ax.core.search_space import SearchSpace
from ax.core.trial_status import TrialStatus
from ax.core.utils import MetricAvailability, compute_metric_availability
from ax.exceptions.core import DataRequiredError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.transition_criterion import TransitionCriterion


class DistinctPoints(TransitionCriterion):
    """Met when there are two distinct points to compare, with data or failed.

    A point evaluated many times, such as an attached one, is a single one. A trial has data if it
    has every objective. Of a constraint's metric two trials are enough.

    Args:
        transition_to: Name of the node that takes over.
        beside_sources: Whether earlier experiments say the rest: of a goal of one metric one point
            is then enough. Of several metrics they say nothing, so two must have data.
        num_ended: How many trials have to end with data; those stopped early count, too.
    """

    def __init__(self, transition_to: str, beside_sources: bool, num_ended: int) -> None:
        super().__init__(transition_to=transition_to)
        self.beside_sources = beside_sources
        self.num_ended = num_ended

    def is_met(self, experiment: Experiment, curr_node: GenerationNode) -> bool:
        """Whether there are."""
        by_status = experiment.trial_indices_by_status
        measured = _measured(experiment)
        ended = by_status[TrialStatus.COMPLETED] | by_status[TrialStatus.EARLY_STOPPED]
        if len(measured & ended) < self.num_ended:
            return False
        if self.beside_sources and len(_arrivals(experiment)) == 1:
            return True
        trials = measured if self.beside_sources else measured | by_status[TrialStatus.FAILED]
        arms = [arm for index in trials for arm in experiment.trials[index].arms]
        return len({arm.signature for arm in arms}) > 1


def check_metrics(experiment: Experiment, threshold: int) -> None:
    """Stop a design that waits for a metric which does not arrive, such as a misspelt one.

    Args:
        experiment: The experiment.
        threshold: Number of complete trials without it that are enough to stop; twice as many where
            others have it.

    Raises:
        DataRequiredError: If so many complete trials lack one of the metrics.
    """
    arrivals, names = _arrivals(experiment), _waited_for(experiment)
    least = min((arrivals[name] for name in names), default=0)
    complete = experiment.trial_indices_by_status[TrialStatus.COMPLETED]
    if len(complete - _having(experiment, names)) < (2 if least else 1) * threshold:
        return
    missing = sorted(name for name in names if arrivals[name] == least)
    arrived = ", ".join(sorted(set(experiment.lookup_data().df["metric_name"]))) or "none"
    raise DataRequiredError(
        f"{'Too few trials have' if least else 'No trial has'} data of {', '.join(missing)}, which "
        f"the optimization needs; what has arrived: {arrived}. Compare the names in "
        "configure_optimization and complete_trial, add what is missing with client.attach_data, "
        "and mark a trial without a result as failed."
    )


def warn_of_long_design(experiment: Experiment, num_trials: int) -> bool:
    """Warn of a design that is prolonged because of how its trials ended.

    Args:
        experiment: The experiment.
        num_trials: How many trials a design should have; more than twice as many are long.

    Returns:
        Whether there was reason to.
    """
    number = len(experiment.trials)
    if is_long := number > 2 * max(num_trials, 2):
        by_status = experiment.trial_indices_by_status.items()
        states = [f"{len(found)} {status.name.lower()}" for status, found in by_status if found]
        outcomes = [f"{count} of {name}" for name, count in _arrivals(experiment).items()]
        text = (
            f"After {number} trials the search is still in its initial design of {num_trials}. "
            f"Trials: {', '.join(states)}; outcomes: {', '.join(outcomes)}. The model needs those "
            "of half of the design, at two points. Complete running trials, and look at failures."
        )
        warnings.warn(text, stacklevel=2)
    return is_long


def _measured(experiment: Experiment) -> set[int]:
    """The trials with data of all objectives; none while a constraint has fewer than two."""
    goal = experiment.optimization_config
    if goal is None or _waited_for(experiment) != goal.objective.metric_names:
        return set()
    return _having(experiment, goal.objective.metric_names)


def _having(experiment: Experiment, names: list[str]) -> set[int]:
    """The trials with data of all of some metrics."""
    found = compute_metric_availability(experiment, metric_names=set(names))
    return {index for index, part in found.items() if part == MetricAvailability.COMPLETE}


def _waited_for(experiment: Experiment) -> list[str]:
    """The objectives; all metrics of the goal while a constraint has fewer than two outcomes."""
    goal, arrivals = experiment.optimization_config, _arrivals(experiment)
    objectives = [] if goal is None else goal.objective.metric_names
    is_rare = any(count < 2 for name, count in arrivals.items() if name not in objectives)
    return [*arrivals] if is_rare else objectives


def _arrivals(experiment: Experiment) -> dict[str, int]:
    """How often each metric of the goal has arrived."""
    goal = experiment.optimization_config
    arrived = experiment.lookup_data().df["metric_name"]
    names = [] if goal is None else goal.metric_names
    return {name: int((arrived == name).sum()) for name in names}


def num_left(experiment: Experiment) -> float:
    """The number of points that are not known; infinite where there is a range of any numbers."""
    space, arms = experiment.search_space, experiment.arms_by_signature.values()
    known = sum(space.check_membership(arm.parameters) for arm in arms)
    return _num_points(space, space.top_level_parameters) - known


def _num_points(space: SearchSpace, names: Iterable[str]) -> float:
    """The number of points of some parameters and those that depend on them."""
    sizes = []
    for parameter in map(space.parameters.__getitem__, names):
        if not isinstance(parameter, DerivedParameter):
            below = parameter.dependents.values() if parameter.is_hierarchical else []
            alone = parameter.cardinality() - len(below)
            sizes.append(alone + sum(_num_points(space, children) for children in below))
    return math.prod(sizes)
