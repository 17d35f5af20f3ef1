"""Past trials from a CSV file, as training data."""

import csv
import math
import os
from collections.abc import Mapping
from pathlib import Path

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo.columns import Column


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
        objective: The column of the outcome; where it is empty, the trial failed.
        maximize: Whether large outcomes are good; otherwise they are negated.

    Returns:
        Points, ``n x d``, and outcomes, ``n x 1``, of which larger ones are better and ``-inf`` is
        a failure; both in double precision.

    Raises:
        InputDataError: If a column is missing, or a value is none of its column.
        OSError: If the file cannot be read.
    """
    with Path(path).open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        names = reader.fieldnames or ()
        rows = list(reader)
    if missing := [name for name in (*columns, objective) if name not in names]:
        raise InputDataError(f"{os.fspath(path)} has no column {missing[0]!r}, only {[*names]}.")
    try:
        X = [[_place(name, column, row[name]) for name, column in columns.items()] for row in rows]
        Y = [float(row[objective]) if row[objective] else math.nan for row in rows]
    except ValueError as error:
        raise InputDataError(f"{os.fspath(path)}: {error}.") from None
    outcomes = torch.tensor(Y, dtype=torch.double).unsqueeze(-1)
    if not maximize:
        outcomes = -outcomes
    return torch.tensor(X, dtype=torch.double), outcomes.where(outcomes.isfinite(), -math.inf)


def _place(name: str, column: Column, text: str) -> float:
    if column.values is None:
        return float(text)
    texts = [str(value) for value in column.values]
    if text not in texts:
        raise ValueError(f"{name} is {text!r}, not one of {', '.join(texts)}")
    return float(texts.index(text))
