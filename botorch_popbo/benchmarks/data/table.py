"""A table of evaluations on a grid."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.settings import Parameters

#: The values of one parameter, in index order.
Choices = tuple[bool | int | float | str, ...]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """Values of every combination of choices.

    Attributes:
        choices: The choices of every parameter, by name.
        values: The value of every combination, with an axis for each parameter and, where there
            are several values, one more for these.
        measures: What else is known of every combination, by name; with an axis for each parameter.
    """

    choices: dict[str, Choices]
    values: Array
    measures: Mapping[str, Array] = field(default_factory=dict)

    def cell(self, parameters: Parameters) -> tuple[int, ...]:
        """Find a combination.

        Args:
            parameters: A choice for every parameter.

        Returns:
            Its place along the axis of each parameter.

        Raises:
            ValueError: If a value is not one of the choices.
        """
        return tuple(values.index(parameters[name]) for name, values in self.choices.items())

    @cached_property
    def means(self) -> Array:
        """The mean of the values of every combination, with an axis for each parameter."""
        if self.values.ndim == len(self.choices):
            return self.values
        means: Array = self.values.mean(axis=-1)
        return means
