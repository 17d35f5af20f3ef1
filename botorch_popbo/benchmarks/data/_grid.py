"""The grid that the configurations of a table make."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data.table import Choices
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.settings import Parameters

#: The order of names in the table that the published results were made with. Random points are
#: drawn by index, so that in another order a seed would no longer give the published run.
_PUBLISHED_ORDER = ("relu", "tanh", "cosine", "const")


def sort_into_grid(
    configurations: Sequence[Parameters], name: str
) -> tuple[dict[str, Choices], npt.NDArray[np.int64]]:
    """Find the choices of a list of configurations, and the list's order on the grid of them.

    Parameters are in alphabetical order: their numbers ascending, their names in the published
    table's order, other names after them in alphabetical order. On the grid the last parameter runs
    fastest. Raises UsageError if the configurations are not every combination once.
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
    return choices, np.array(order)


def _rank(value: bool | int | float | str) -> Any:
    if not isinstance(value, str):
        return value
    known = value in _PUBLISHED_ORDER
    return (_PUBLISHED_ORDER.index(value) if known else len(_PUBLISHED_ORDER), value)
