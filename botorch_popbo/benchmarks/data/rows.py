"""A table of evaluations in any places, of which the nearest is looked up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data.table import Array
from botorch_popbo.benchmarks.settings import Parameters


@dataclass(frozen=True)
class Rows:
    """Values of points, several of some.

    Attributes:
        place: Where a point lies, a row of ``d`` numbers.
        places: The same of the points of the table, ``n x d``.
        is_category: Whether a number stands for a value without order, of ``d``.
        values: The values of each point, ``n`` arrays of any length; of a failure not a number.
        means: The mean of the successes of each point, or the worst of all if there are none.
        measures: Nothing.
    """

    place: Callable[[Parameters], Array]
    places: Array
    is_category: Array
    values: npt.NDArray[np.object_]
    means: Array
    measures: Mapping[str, Array] = field(default_factory=dict)

    def cell(self, parameters: Parameters) -> tuple[int, ...]:
        """The index of the nearest point: another category is as far as the end of a range."""
        offset = self.places - self.place(parameters)
        offset = np.where(self.is_category, offset != 0, offset)
        return (int(np.square(offset).sum(axis=-1).argmin()),)
