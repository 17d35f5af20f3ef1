"""What the columns of a table are: inferred, unless the user says it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from botorch_popbo.benchmarks.errors import UsageError, unknown
from botorch_popbo.benchmarks.search_space.points import ParameterConfig

#: What a column can be.
KINDS = ("float", "log", "int", "ordered", "choice", "skip")
_FEW = 10  # values of a grid, along one axis
_WIDE = 100.0  # the ratio of the ends of a range that asks for a logarithm
_EXACT = 2**53  # up to here whole numbers are told apart as floats


def read_columns(said: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Read what the user says of columns, as in ``("rate=log", "seed=skip")``.

    Raises:
        UsageError: If a column or a kind does not exist.
    """
    kinds = {}
    for text in said:
        name, parted, kind = text.rpartition("=")
        if not parted:
            raise UsageError(f"--column {text} lacks a kind: say --column {text}=KIND")
        if name not in names:
            raise unknown("column", name, names)
        if kind not in KINDS:
            raise unknown(f"kind of column for {name}:", kind, KINDS)
        kinds[name] = kind
    return kinds


def infer(column: "pd.Series[Any]") -> str:
    """Say what a column is likely to be."""
    values = column.unique()
    # A column without a name, such as the index that pandas writes, counts the rows.
    if len(values) == 1 or str(column.name).startswith("Unnamed: "):
        return "skip"
    if not _is_numeric(column):
        # A text that is never the same twice names the row.
        return "skip" if len(values) == len(column) > _FEW else "choice"
    if len(values) <= _FEW and 2 * len(values) <= len(column):
        return "ordered"
    if values.min() > 0 and values.max() >= _WIDE * values.min() and _is_even(np.log(values)):
        return "log"
    return "int" if _is_whole(column) else "float"


def _is_even(logarithms: Any) -> bool:
    """Whether the median is nearer to the middle by the logarithms than by the numbers."""

    def off(numbers: Any) -> float:
        low, middle, high = np.quantile(numbers, (0.0, 0.5, 1.0))
        return abs(float((middle - low) / (high - low)) - 0.5)

    return off(logarithms) < off(np.exp(logarithms - logarithms.max()))


def make_parameter(column: "pd.Series[Any]", kind: str) -> ParameterConfig:
    """Make a parameter of a column.

    Raises:
        UsageError: If the column cannot be of that kind.
    """
    name = str(column.name)
    if pd.api.types.is_integer_dtype(column) and max(map(abs, map(int, column))) > _EXACT:
        raise UsageError(
            f"column {name} has whole numbers beyond 2^53, whose last digits would be lost; "
            f"make them smaller, or say --column {name}=skip"
        )
    if kind in ("choice", "ordered"):
        values = sorted(plain(column, kind).unique().tolist())
        if len(values) < 2:
            raise UsageError(f"column {name} has one value only; say --column {name}=skip")
        value_type: Any = type(values[0]).__name__
        return ChoiceParameterConfig(name, values, value_type, is_ordered=kind == "ordered")
    if not _is_numeric(column):
        raise UsageError(f"column {name} is not of numbers, so it is no {kind} but a choice")
    low, high = column.min(), column.max()
    if kind == "int" and not _is_whole(column):
        raise UsageError(f"column {name} is not of whole numbers, so it is no int")
    if kind == "log" and low <= 0:
        raise UsageError(f"column {name} has values of at most 0, so it has no logarithm")
    if low == high:
        raise UsageError(f"column {name} has one value only; say --column {name}=skip")
    is_int = kind != "float" and _is_whole(column)
    bounds = (int(low), int(high)) if is_int else (float(low), float(high))
    scaling: Any = "log" if kind == "log" else None
    return RangeParameterConfig(name, bounds, "int" if is_int else "float", scaling=scaling)


def plain(column: "pd.Series[Any]", kind: str) -> "pd.Series[Any]":
    """A column in a type that its parameter has: numbers where they are in order, or text."""
    if _is_numeric(column):
        return column.astype(int if _is_whole(column) else float)
    if kind == "ordered":
        raise UsageError(f"column {column.name} is not of numbers, so it has no order")
    is_bool = pd.api.types.is_bool_dtype(column)
    return column.astype(bool if is_bool else str).astype(object)


def places(table: pd.DataFrame, parameters: Mapping[str, ParameterConfig]) -> Any:
    """Where points lie, ``n x d``: on a range between 0 and 1, of a choice its index."""
    return np.column_stack([_place(table[name], config) for name, config in parameters.items()])


def _place(column: "pd.Series[Any]", config: ParameterConfig) -> Any:
    if isinstance(config, ChoiceParameterConfig):
        values: list[Any] = list(config.values)
        index = np.array([values.index(value) for value in column], dtype=float)
        return index / (len(values) - 1) if config.is_ordered else index
    scale = np.log if config.scaling == "log" else np.asarray
    low, high = (float(scale(end)) for end in config.bounds)
    return (scale(column.to_numpy(dtype=float)) - low) / (high - low)


def _is_numeric(column: "pd.Series[Any]") -> bool:
    types = pd.api.types
    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def _is_whole(column: "pd.Series[Any]") -> bool:
    """Whether numbers are whole, and small enough for integers."""
    return bool((column == column.round()).all() and column.abs().max() <= _EXACT)
