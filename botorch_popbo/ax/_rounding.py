"""Rounding of integers and categories in the initial design."""

from zlib import crc32

from ax.adapter.transforms.int_to_float import IntToFloat
from ax.adapter.transforms.one_hot import OneHot
from ax.core.observation import ObservationFeatures
from ax.utils.common.random import with_rng_seed


class ReproducibleIntToFloat(IntToFloat):
    """Round integers under linear constraints by the points themselves.

    Ax rounds them up or down with Python's global random numbers, so that one seed would give
    several designs and the global state would move.
    """

    def untransform_observation_features(
        self, observation_features: list[ObservationFeatures]
    ) -> list[ObservationFeatures]:
        """Round, with random numbers that depend on nothing but the points."""
        points = repr([sorted(point.parameters.items()) for point in observation_features])
        with with_rng_seed(crc32(points.encode())):
            rounded: list[ObservationFeatures] = super().untransform_observation_features(
                observation_features
            )
        return rounded


class ReproducibleOneHot(OneHot):
    """Leave NumPy's global random numbers alone.

    Ax chooses the largest of the parts of a category with them, though there are no ties.
    """

    def untransform_observation_features(
        self, observation_features: list[ObservationFeatures]
    ) -> list[ObservationFeatures]:
        """Round, and put the global state back."""
        with with_rng_seed(0):
            rounded: list[ObservationFeatures] = super().untransform_observation_features(
                observation_features
            )
        return rounded
