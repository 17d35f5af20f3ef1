"""Past trials from a CSV file, as training data."""

import math
import os
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.space import Parameter, Space

_EMPTY = ("", "na", "nan")
_TRUTH = {"true": True, "false": False}


def read_trials(
    path: str | os.PathLike[str],
    space: Mapping[str, Any],
    objective: str,
    maximize: bool = False,
) -> tuple[Tensor, Tensor]:
    """Read points and outcomes for a :class:`~botorch_popbo.RankingGP`.

    Args:
        path: The CSV file, with a first line of names.
        space: What each parameter may be, by its name; see :data:`~botorch_popbo.space.Notation`.
            Numbers may lie outside of a range.
        objective: The column of the outcome; where it is empty, NaN or infinitely bad, the trial
            failed.
        maximize: Whether large outcomes are good; otherwise they are negated.

    Returns:
        Points of :class:`~botorch_popbo.Space`, ``n x d``, and outcomes, ``n x 1``, of which larger
        ones are better and ``-inf`` is a failure; both in double precision.

    Raises:
        ImportError: If pandas is not installed.
        InputDataError: If the file is no table, if a column is missing, if a value is none of its
            parameter, or if an outcome is infinitely good.
        OSError: If the file cannot be read.
    """
    where, table = os.fspath(path), _read_table(path)
    readers: dict[str, Callable[[str], float]] = {
        name: partial(_place, parameter) for name, parameter in Space.read(space).parameters.items()
    }
    readers[objective] = partial(_outcome, sign=1.0 if maximize else -1.0)
    rows = []
    for line, told in zip(table.index + 2, table.to_dict("records"), strict=True):
        row = []
        for name, read in readers.items():
            if name not in told:
                raise InputDataError(f"{where} has no column {name!r} among {[*told]}.")
            try:
                row.append(read(told[name].strip()))
            except ValueError as error:
                raise InputDataError(
                    f"{where}, line {line}: {name} is {told[name]!r}, {error}."
                ) from None
        rows.append(row)
    numbers = torch.tensor(rows, dtype=torch.double).reshape(-1, len(readers))
    return numbers[:, :-1], numbers[:, -1:]


def _read_table(path: str | os.PathLike[str]) -> Any:
    """A data frame of texts, without empty lines."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise ImportError("read_trials needs pandas: pip install pandas") from error
    # Otherwise a line with a decimal comma is cut off, or its first value is taken for an index.
    options: dict[str, Any] = {"index_col": False, "skip_blank_lines": False}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                path, dtype=str, keep_default_na=False, encoding="utf-8-sig", **options
            )
    except (ValueError, pd.errors.ParserWarning) as error:
        raise InputDataError(
            f"{os.fspath(path)} cannot be read as a CSV file in UTF-8 with commas between values "
            f"and points in numbers: {error}."
        ) from None
    table = table.rename(columns=str.strip).fillna("")
    return table[(table != "").any(axis=1)]


def _place(parameter: Parameter, text: str) -> float:
    if parameter.choices is not None:
        kind = type(parameter.choices[0])
        value = _TRUTH.get(text.lower()) if kind is bool else text if kind is str else _number(text)
        return parameter.place(value)
    number = _number(text)
    if not math.isfinite(number):
        raise ValueError("no number")
    if parameter.step is not None and not number.is_integer():
        raise ValueError("no whole number")
    if parameter.is_log and number <= 0.0:
        raise ValueError("not above zero")
    return parameter.place(number)


def _outcome(text: str, sign: float) -> float:
    outcome = sign * _number(text)
    if math.isnan(outcome) and text.lower().lstrip("+-") not in _EMPTY:
        raise ValueError("no number")
    if outcome == math.inf:
        raise ValueError("infinitely good")
    return -math.inf if math.isnan(outcome) else outcome


def _number(text: str) -> float:
    """What a text says; NaN if it is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan
