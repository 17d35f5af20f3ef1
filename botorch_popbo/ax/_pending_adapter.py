"""Ax's adapter with more points pending than those that are being evaluated."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from copy import deepcopy

from ax.adapter.base import Adapter, BaseGenArgs
from ax.core.base_trial import BaseTrial
from ax.core.observation import ObservationFeatures
from ax.core.optimization_config import OptimizationConfig
from ax.core.search_space import SearchSpace


class PendingAdapter(Adapter, ABC):
    """Keeps suggestions away from trials that Ax forgets."""

    @abstractmethod
    def _forgotten(self) -> Mapping[str, list[ObservationFeatures]]:
        """Points to be added to those being evaluated, by the metric."""

    def _get_transformed_gen_args(
        self,
        search_space: SearchSpace,
        optimization_config: OptimizationConfig | None = None,
        pending_observations: dict[str, list[ObservationFeatures]] | None = None,
        fixed_features: ObservationFeatures | None = None,
    ) -> BaseGenArgs:
        # Of a hundred trials and more Ax reads them off a set, whose order is another one in a
        # process that has loaded the experiment.
        given = pending_observations or {}
        pending = {metric: sorted(points, key=_age) for metric, points in given.items()}
        for metric, points in self._forgotten().items():
            # Copies, because what Ax encodes in place would be encoded again for each metric.
            pending[metric] = [*pending.get(metric, []), *deepcopy(points)]
        return super()._get_transformed_gen_args(
            search_space, optimization_config, pending, fixed_features
        )

    def _points_of(self, trials: Iterable[BaseTrial]) -> list[ObservationFeatures]:
        """Points of trials, as far as they are in the search space."""
        return [
            ObservationFeatures.from_arm(arm, trial.index)
            for trial in trials
            for arm in trial.arms
            if self._search_space.check_membership(arm.parameters)
        ]


def _age(point: ObservationFeatures) -> float:
    """The number of a point's trial; one that is only about to have a trial is the youngest."""
    return math.inf if point.trial_index is None else float(point.trial_index)
