"""Rounding of integers and categories in the initial design."""

import random

import numpy as np
from ax.adapter.transforms.int_to_float import IntToFloat
from ax.adapter.transforms.one_hot import OneHot
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


class ReproducibleOneHot(OneHot):
    """Leave NumPy's global random numbers alone.

    Ax chooses the largest of the parts of a category with them, though there are no ties.
    """

    def untransform_observation_features(
        self, observation_features: list[ObservationFeatures]
    ) -> list[ObservationFeatures]:
        """Round, and put the global state back."""
        state = np.random.get_state()  # noqa: NPY002 - those that Ax draws from
        np.random.seed(0)  # noqa: NPY002
        try:
            rounded: list[ObservationFeatures] = super().untransform_observation_features(
                observation_features
            )
        finally:
            np.random.set_state(state)  # noqa: NPY002
        return rounded
