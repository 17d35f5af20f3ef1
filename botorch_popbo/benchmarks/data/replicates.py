"""A file of tables over one grid, with several values in every cell; FCNet's is one."""

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.data.table import Arrays, Choices, Table, on_grid, read_arrays
from botorch_popbo.benchmarks.errors import UsageError

#: What a message says of a file's layout; the values are described by the file's own module.
LAYOUT = """\
  X_index (n, {parameters}) integers: the index of each parameter's choice, every combination once
  param_names ({parameters},) strings, in X_index's order
  param_choices ({parameters},) strings: each a Python literal list of that parameter's choices"""


def load_replicates(path: Path, name: str, num_parameters: int, num_replicates: int) -> Table:
    """Read one table of a file.

    Args:
        path: The file.
        name: The name of the array of values, ``n x num_replicates``.
        num_parameters: The number of parameters that are expected.
        num_replicates: The number of values of each cell that is expected.

    Raises:
        UsageError: If the file is unreadable or is not such a file.
    """
    shapes = {
        "X_index": (None, num_parameters),
        "param_names": (num_parameters,),
        "param_choices": (num_parameters,),
        name: (None, num_replicates),
    }
    arrays = read_arrays(path, shapes)
    choices = [_parse_choices(str(literal), path) for literal in arrays["param_choices"]]
    grids = on_grid(arrays, [name], tuple(map(len, choices)), path)
    names = map(str, arrays["param_names"])
    return Table(dict(zip(names, choices, strict=True)), grids[name])


def pack(choices: Mapping[str, Choices], values: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """The arrays of a file.

    Args:
        choices: The choices of every parameter, by name.
        values: The values of every table, by the array's name, ``n x num_replicates`` with the last
            parameter running fastest.
    """
    lengths = [len(each) for each in choices.values()]
    return {
        "X_index": np.indices(lengths, dtype=np.int8).reshape(len(lengths), -1).T,
        "param_names": np.array(list(choices)),
        "param_choices": np.array([str(list(each)) for each in choices.values()]),
        **values,
    }


def _parse_choices(literal: str, path: Path) -> Choices:
    try:
        values = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        values = None
    if not isinstance(values, Sequence) or not values:
        raise UsageError(f"{path}: {literal!r} in 'param_choices' is not a list")
    return tuple(values)
