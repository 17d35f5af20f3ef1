"""Past trials from a CSV file, as training data."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo._csv_lines import split_lines
from botorch_popbo.columns import Column

_EMPTY = ("", "na", "nan")


def read_trials(
    path: str | os.PathLike[str],
    columns: Mapping[str, Column],
    objective: str,
    maximize: bool = False,
) -> tuple[Tensor, Tensor]:
    """Read points and outcomes for a :class:`~botorch_popbo.RankingGP`.

    Args:
        path: The CSV file, with a first line of names.
        columns: The columns of a point, by name; a listed value becomes its place in the list.
            Numbers may lie outside of a column's range.
        objective: The column of the outcome; where it is empty, NaN or infinitely bad, the trial
            failed.
        maximize: Whether large outcomes are good; otherwise they are negated.

    Returns:
        Points, ``n x d``, and outcomes, ``n x 1``, of which larger ones are better and ``-inf`` is
        a failure; both in double precision.

    Raises:
        InputDataError: If a column is missing or named twice, if a line has more values than there
            are names, if a value is none of its column, or if an outcome is infinitely good.
        OSError: If the file cannot be read.
    """
    readers = [(name, partial(_place, column)) for name, column in columns.items()]
    readers.append((objective, partial(_outcome, sign=1.0 if maximize else -1.0)))
    table = []
    for line, row in _rows(path, [name for name, _ in readers]):
        values = []
        for name, read in readers:
            try:
                values.append(read(row[name]))
            except ValueError as error:
                where = f"{os.fspath(path)}, line {line}"
                raise InputDataError(f"{where}: {name} is {row[name]!r}, {error}.") from None
        table.append(values)
    numbers = torch.tensor(table, dtype=torch.double).reshape(-1, len(readers))
    return numbers[:, :-1], numbers[:, -1:]


def _rows(
    path: str | os.PathLike[str], wanted: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Numbers of lines with what they say of each wanted column."""
    where = os.fspath(path)
    try:
        # Spreadsheets write a mark of the byte order in front of the first name.
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            (_, names), *rows = split_lines(file).items()
    except UnicodeDecodeError as error:
        raise InputDataError(f"{where} is no CSV file in UTF-8: {error}.") from None
    except ValueError as error:
        raise InputDataError(f"{where} cannot be read as a CSV file: {error}.") from None
    for name in wanted:
        if names.count(name) != 1:
            fault = f"two columns {name!r}" if name in names else f"no column {name!r}"
            raise InputDataError(f"{where} has {fault} among {names}.")
    for line, row in rows:
        found = dict(zip(names, row, strict=False))
        yield line, {name: found.get(name, "") for name in wanted}


def _place(column: Column, text: str) -> float:
    if column.values is not None:
        return float(_index(column.values, text))
    number = _number(text)
    if not math.isfinite(number):
        raise ValueError("no number")
    if column.is_discrete and not number.is_integer():
        raise ValueError("no whole number")
    return number


def _index(values: Sequence[Any], text: str) -> int:
    """The place of the value that is written like this, or else is the same number."""
    texts = [str(value) for value in values]
    if text not in texts and text.lower() in ("true", "false"):
        text = text.capitalize()  # spreadsheets write TRUE
    if text in texts:
        return texts.index(text)
    number = _number(text)
    if number not in values:
        raise ValueError(f"not one of {', '.join(texts)}")
    return values.index(number)


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
