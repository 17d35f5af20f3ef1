"""Rounding of integers in the initial design."""

import random

from ax.adapter.transforms.int_to_float import IntToFloat
from ax.core.observation import ObservationFeatures


class ReproducibleIntToFloat(IntToFloat):
    """Round integers under linear constraints by the points themselves.

    Ax rounds them up or down with Python's global random numbers, so that one seed would give
    several designs and the global state would move.
    """

    def untransform_observation_features(
        self, observation_features: list[ObservationFeatures]
    ) -> list[ObservationFeatures]:
        """Round, with random numbers that depend on nothing but the points."""
        state = random.getstate()
        random.seed(repr([sorted(point.parameters.items()) for point in observation_features]))
        try:
            rounded: list[ObservationFeatures] = super().untransform_observation_features(
                observation_features
            )
        finally:
            random.setstate(state)
        return rounded
