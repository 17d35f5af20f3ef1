"""The grid that the configurations of a table make."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data.table import Choices
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.settings import Parameters

#: The order of names in the table that the published results were made with. Random points are
#: drawn by index, so that in another order a seed would no longer give the published run.
_PUBLISHED_ORDER = ("relu", "tanh", "cosine", "const")


@dataclass(frozen=True)
class Grid:
    """Every combination of the parameters' choices, the last parameter running fastest.

    Parameters are in alphabetical order: their numbers ascending, their names in the published
    table's order, other names after them in alphabetical order.
    """

    choices: dict[str, Choices]

    @property
    def index(self) -> npt.NDArray[np.int8]:
        """The ``configurations x parameters`` indices of the choices."""
        lengths = [len(values) for values in self.choices.values()]
        return np.indices(lengths, dtype=np.int8).reshape(len(lengths), -1).T


def sort_into_grid(
    configurations: Sequence[Parameters], name: str
) -> tuple[Grid, npt.NDArray[np.int64]]:
    """Find the grid of a list of configurations, and the place in the list of each of its own.

    Raises UsageError if the configurations are not every combination of some choices once.
    """
    names = sorted(configurations[0])
    if any(sorted(configuration) != names for configuration in configurations):
        raise UsageError(f"{name}: the configurations differ in their parameters")
    try:
        choices = {key: tuple(sorted({c[key] for c in configurations}, key=_rank)) for key in names}
    except TypeError:
        raise UsageError(f"{name}: a parameter has both numbers and strings as values") from None
    positions = {key: {v: i for i, v in enumerate(values)} for key, values in choices.items()}
    cells = [tuple(positions[key][c[key]] for key in names) for c in configurations]
    num_cells = math.prod(map(len, choices.values()))
    if not len(cells) == len(set(cells)) == num_cells:
        raise UsageError(
            f"{name} is not a whole table: {len(set(cells))} different configurations in "
            f"{len(cells)} entries, where the choices in them make {num_cells}"
        )
    order = sorted(range(len(cells)), key=cells.__getitem__)
    return Grid(choices), np.array(order)


def _rank(value: bool | int | float | str) -> Any:
    if not isinstance(value, str):
        return value
    known = value in _PUBLISHED_ORDER
    return (_PUBLISHED_ORDER.index(value) if known else len(_PUBLISHED_ORDER), value)
