"""Ax's adapter for an initial design that suggests no point twice."""

from contextlib import suppress
from copy import deepcopy
from typing import Any

from ax.adapter.base import GenResults
from ax.adapter.random import RandomAdapter
from ax.core.arm import Arm
from ax.core.observation import ObservationFeatures
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import SearchSpaceExhausted

from botorch_popbo.ax._pending_adapter import PendingAdapter

_MAX_DRAWS = 200


class DesignAdapter(PendingAdapter, RandomAdapter):
    """Draws no point that was tried before, whatever became of it.

    Ax draws those of failed trials again and, where parameters depend on others, those that differ
    in parameters without a meaning only.
    """

    def _forgotten(self) -> dict[str, list[ObservationFeatures]]:
        failed = self._experiment.trials_by_status[TrialStatus.FAILED]
        return {"failed": self._points_of(failed)}  # of which metric does not matter here

    def _gen(self, *args: Any, **options: Any) -> GenResults:
        pending = options["pending_observations"]
        known = self._signatures([point for points in pending.values() for point in points])
        known |= self._experiment.arms_by_signature.keys()
        repeated: list[ObservationFeatures] = []
        with suppress(SearchSpaceExhausted):  # says nothing of points
            for _ in range(_MAX_DRAWS):
                options["pending_observations"] = {**pending, "repeated": repeated}
                drawn = super()._gen(*args, **options)
                points = drawn.observation_features
                signatures = self._signatures(points)
                if len(signatures) == len(points) and not signatures & known:
                    return drawn
                repeated += points
        raise SearchSpaceExhausted(
            "No point is found that was not tried before. Widen the search space, or begin with "
            "fewer trials."
        )

    def _signatures(self, points: list[ObservationFeatures]) -> set[str]:
        """What Ax tells arms apart by, of encoded points."""
        found = deepcopy(points)
        for transform in reversed([*self.transforms.values()]):
            found = transform.untransform_observation_features(found)
        return {Arm(point.parameters).signature for point in found}
