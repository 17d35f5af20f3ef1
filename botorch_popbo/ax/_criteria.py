"""When the initial design gives way to a model, beside Ax's count of trials."""

import math
import sys
from collections.abc import Iterable

from ax.core.experiment import Experiment
from ax.core.parameter import DerivedParameter
from ax.core.search_space import SearchSpace
from ax.core.trial_status import TrialStatus
from ax.core.utils import get_trial_indices_with_required_metrics
from ax.exceptions.core import DataRequiredError, SearchSpaceExhausted
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.transition_criterion import (
    PausingCriterion,
    TransitionCriterion,
    TrialCountPausingCriterion,
)


class DistinctPoints(TransitionCriterion):
    """Met when there are two distinct points to compare.

    A point evaluated many times, such as an attached one, is a single one.

    Args:
        transition_to: Name of the node that takes over.
        beside_sources: Whether earlier experiments tell the rest: of a goal of one metric one point
            is then enough. Of several metrics they tell nothing, so two are to have data.
    """

    def __init__(self, transition_to: str, beside_sources: bool = False) -> None:
        super().__init__(transition_to=transition_to)
        self.beside_sources = beside_sources

    def is_met(self, experiment: Experiment, curr_node: GenerationNode) -> bool:
        """Whether two distinct points have data or have failed."""
        known = _told(experiment)
        if not self.beside_sources:
            known |= experiment.trial_indices_by_status[TrialStatus.FAILED]
        elif len(_arrivals(experiment)) == 1:
            return True
        arms = [arm for index in known for arm in experiment.trials[index].arms]
        return len({arm.signature for arm in arms}) > 1


class MetricsMissing(PausingCriterion):
    """Stops a design that waits for a metric which does not arrive, such as a misspelt one.

    Args:
        threshold: Number of completed trials without it that are enough to stop; twice as many
            where others have it.
    """

    def __init__(self, threshold: int) -> None:
        self.threshold = threshold

    def is_met(self, experiment: Experiment, curr_node: GenerationNode) -> bool:
        """Whether so many complete trials lack one of the metrics."""
        lacking = experiment.trial_indices_by_status[TrialStatus.COMPLETED] - _told(experiment)
        return len(lacking) >= (1 if 0 in _arrivals(experiment).values() else 2) * self.threshold

    def block_continued_generation_error(
        self, node_name: str, experiment: Experiment, trials_from_node: set[int]
    ) -> None:
        """Say which metrics are missing, and which have arrived.

        Raises:
            DataRequiredError: Always.
        """
        arrivals = _arrivals(experiment)
        least = min(arrivals.values(), default=0)
        missing = sorted(name for name, count in arrivals.items() if count == least)
        arrived = ", ".join(sorted(set(experiment.lookup_data().df["metric_name"]))) or "none"
        raise DataRequiredError(
            f"{'Too few trials have' if least else 'No trial has'} data of "
            f"{', '.join(missing)}, which the optimization needs; what has arrived: {arrived}. "
            "Compare the names in configure_optimization and complete_trial, add what is missing "
            "with client.attach_data, and mark a trial without a result as failed."
        )


class SpaceExhausted(TrialCountPausingCriterion):
    """Suggests no more points than a space without a range of any numbers has left.

    Of a design Ax would look for another one for half a minute, and of a batch that asks for more
    it would lose those that there are.
    """

    def __init__(self) -> None:
        super().__init__(threshold=sys.maxsize)

    def num_till_threshold(self, experiment: Experiment, trials_from_node: set[int]) -> int:
        """The number of points that are not known."""
        space = experiment.search_space
        size = num_points(space)
        if math.isinf(size):
            return self.threshold
        arms = experiment.arms_by_signature.values()
        return max(int(size) - sum(space.check_membership(arm.parameters) for arm in arms), 0)

    def is_met(self, experiment: Experiment, curr_node: GenerationNode) -> bool:
        """Whether every point is known."""
        space = experiment.search_space
        # Asked before every suggestion, and mostly answered by their numbers.
        may_be = len(experiment.arms_by_signature) >= num_points(space)
        return may_be and self.num_till_threshold(experiment, set()) == 0

    def block_continued_generation_error(
        self, node_name: str, experiment: Experiment, trials_from_node: set[int]
    ) -> None:
        """Say so.

        Raises:
            SearchSpaceExhausted: Always.
        """
        raise SearchSpaceExhausted(
            "No point is left: each one of the search space is evaluated or running. Widen the "
            "space, or complete what is running."
        )


def num_points(space: SearchSpace) -> float:
    """The number of points of a space; infinite if there is a range of any numbers."""
    return _num_points(space, space.top_level_parameters)


def _num_points(space: SearchSpace, names: Iterable[str]) -> float:
    """The number of points of some parameters and of those that depend on them."""
    sizes = []
    for parameter in map(space.parameters.__getitem__, names):
        if not isinstance(parameter, DerivedParameter):
            below = parameter.dependents.values() if parameter.is_hierarchical else []
            alone = parameter.cardinality() - len(below)
            sizes.append(alone + sum(_num_points(space, children) for children in below))
    return math.prod(sizes)


def _told(experiment: Experiment) -> set[int]:
    """The trials with data of every metric of the goal."""
    return get_trial_indices_with_required_metrics(
        experiment, experiment.lookup_data().df, require_data_for_all_metrics=False
    )


def _arrivals(experiment: Experiment) -> dict[str, int]:
    """How often each metric of the goal has arrived."""
    goal = experiment.optimization_config
    arrived = experiment.lookup_data().df["metric_name"]
    return (
        {} if goal is None else {name: int((arrived == name).sum()) for name in goal.metric_names}
    )
