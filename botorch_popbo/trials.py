"""Past trials from a CSV file, as training data."""

import math
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.space import Parameter, Space


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
    parameters, where = Space.read(space).parameters, os.fspath(path)
    texts = [name for name, p in parameters.items() if p.choices and isinstance(p.choices[0], str)]
    table = _read_table(path, texts)
    if missing := [name for name in (*parameters, objective) if name not in table]:
        raise InputDataError(f"{where} has no column {missing[0]!r} among {[*table]}.")
    rows = []
    for line, told in zip(table.index + 2, table.to_dict("records"), strict=True):
        row = []
        for name in (*parameters, objective):
            try:
                if name == objective:
                    row.append(_outcome(told[name], maximize))
                else:
                    row.append(_place(told[name], parameters[name]))
            except ValueError as error:
                raise InputDataError(
                    f"{where}, line {line}: {name} is {told[name]}, {error}."
                ) from None
        rows.append(row)
    numbers = torch.tensor(rows, dtype=torch.double).reshape(-1, len(parameters) + 1)
    return numbers[:, :-1], numbers[:, -1:]


def _read_table(path: str | os.PathLike[str], texts: Sequence[str]) -> Any:
    """A data frame without empty lines, with some columns of texts."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise ImportError("read_trials needs pandas: pip install pandas") from error
    # "None" is a text. A line with a decimal comma is neither cut off nor given an index.
    options: dict[str, Any] = {
        "dtype": dict.fromkeys(texts, str),
        "keep_default_na": False,
        "na_values": ["", "NA", "NaN", "nan", "-nan"],
        "skipinitialspace": True,
        "skip_blank_lines": False,
        "index_col": False,
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(path, encoding="utf-8-sig", **options)
    except (ValueError, pd.errors.ParserWarning) as error:
        raise InputDataError(
            f"{os.fspath(path)} cannot be read as a CSV file in UTF-8 with commas between values "
            f"and points in numbers: {error}."
        ) from None
    return table.rename(columns=str.strip).dropna(how="all")


def _place(value: Any, parameter: Parameter) -> float:
    if parameter.choices is not None:
        is_number = not isinstance(parameter.choices[0], str | bool)
        return parameter.place(float(value) if is_number else value)
    number = float(value)
    if parameter.step is not None and not number.is_integer():
        raise ValueError("no whole number")
    place = parameter.place(number)
    if not math.isfinite(place):
        raise ValueError("no number")
    return place


def _outcome(value: Any, maximize: bool) -> float:
    outcome = float(value) if maximize else -float(value)
    if outcome == math.inf:
        raise ValueError("infinitely good")
    return -math.inf if math.isnan(outcome) else outcome
