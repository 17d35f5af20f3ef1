"""Past trials of the same function, from a CSV file, as a warm start."""

import csv
import math
import os
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

import pandas as pd
from ax.api.client import Client
from ax.core.parameter import Parameter, ParameterType
from ax.core.search_space import SearchSpace
from ax.exceptions.core import UserInputError

from botorch_popbo._csv_lines import split_lines
from botorch_popbo.ax._source_points import has_place
from botorch_popbo.ax.sources import check_columns


def attach_trials(client: Client, table: str | os.PathLike[str] | pd.DataFrame) -> list[int]:
    """Attach a row of a table as a trial each; the strategy goes on from there.

    Args:
        client: A client with a search space and an optimization.
        table: A CSV file or a data frame, with a column for each parameter and for each metric of
            the optimization. Other columns have no effect, nor have values of parameters without a
            meaning beside the others. Where a metric is empty, the trial failed.

    Returns:
        The indices of the trials.

    Raises:
        UserInputError: If the file is no table, a column is missing or there twice, or a value is
            none of its parameter or metric; nothing is attached. Numbers may lie outside of a
            range, but on a logarithmic scale above zero, and between choices in order.
        OSError: If the file cannot be read.
    """
    experiment = client._experiment
    config = experiment.optimization_config
    if config is None:
        raise UserInputError("Call client.configure_optimization first.")
    parameters, metrics = experiment.search_space.parameters, sorted(config.metric_names)
    texts = [p.name for p in parameters.values() if p.parameter_type is ParameterType.STRING]
    rows = table if isinstance(table, pd.DataFrame) else _read(table, texts)
    check_columns(rows, [*parameters, *metrics])
    # No outcome, were it ever so good, is better than everything.
    best = {name: math.copysign(math.inf, w) for name, w in config.objective.metric_weights}
    read = [
        (
            _point(row, experiment.search_space, place),
            {name: _outcome(row[name], name, place, best.get(name)) for name in metrics},
        )
        for place, row in enumerate(rows.to_dict("records"))
    ]
    indices = []
    for point, outcome in read:
        indices.append(index := client.attach_trial(point))
        if any(map(math.isnan, outcome.values())):
            client.mark_trial_failed(index, failed_reason="no outcome in the table")
        else:
            client.complete_trial(index, outcome)
    return indices


def read_table(path: str | os.PathLike[str], texts: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV file in which the text "None" is a choice, and lines may end with commas.

    Spaces about names and values have no effect, nor have lines without a value.

    Args:
        path: The file.
        texts: Columns of texts, which stay texts where they look like numbers.

    Returns:
        The table, with the numbers of lines for an index.

    Raises:
        ValueError: If it is no table, two columns have one name, or a line has more values.
        OSError: If the file cannot be read.
    """
    whole: dict[str, Any] = {"sep": "\x01", "quoting": csv.QUOTE_NONE, "skip_blank_lines": False}
    try:
        read = pd.read_csv(path, names=["line"], dtype=str, keep_default_na=False, **whole)
    except UnicodeDecodeError:
        raise ValueError("its letters are not in UTF-8; save it in that encoding") from None
    lines = split_lines(read["line"] + "\n")
    names, *rows = lines.values()
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise ValueError(f"it has the columns {', '.join(twice)} twice")
    text = StringIO()
    csv.writer(text).writerows([names, *(row[: len(names)] for row in rows)])
    text.seek(0)
    table = pd.read_csv(
        text,
        index_col=False,
        keep_default_na=False,
        na_values=["", "NA", "NaN", "nan"],
        dtype=dict.fromkeys(texts, str),
    )
    return table.set_axis([*lines][1:])


def _read(path: str | os.PathLike[str], texts: Sequence[str]) -> pd.DataFrame:
    try:
        return read_table(path, texts)
    except ValueError as error:
        raise UserInputError(f"{os.fspath(path)} cannot be read as a CSV file: {error}") from None


def _point(row: Mapping[Any, Any], space: SearchSpace, place: int) -> dict[str, Any]:
    """The values of the parameters that have a meaning beside the others."""
    found: dict[str, Any] = {}
    left = list(space.top_level_parameters.values())
    while left:
        parameter = left.pop()
        value = found[parameter.name] = _value(row[parameter.name], parameter, place)
        if parameter.is_hierarchical:
            left += [space.parameters[name] for name in parameter.dependents.get(value, [])]
    return {name: found[name] for name in space.parameters if name in found}


def _value(said: Any, parameter: Parameter, place: int) -> Any:
    """A parameter's value, without what a cast would lose."""
    if pd.isna(said):
        raise UserInputError(
            f"Row {place} has no {parameter.name!r}. Fill it in, or leave the row out."
        )
    try:
        value: Any = parameter.cast(said)
        is_kept = {
            ParameterType.BOOL: lambda: said in (True, False),
            ParameterType.INT: lambda: value == float(said),
            ParameterType.FLOAT: lambda: math.isfinite(value),
            ParameterType.STRING: lambda: True,
        }[parameter.parameter_type]()
    except (ValueError, OverflowError):
        is_kept = False
    if not is_kept:
        kind = parameter.parameter_type.name.lower()
        raise UserInputError(
            f"Row {place}: {parameter.name!r} is {said!r}, which is no {kind}. Correct it, or "
            "leave the row out."
        )
    if not has_place(value, parameter):
        raise UserInputError(
            f"Row {place}: {parameter.name!r} is {said!r}, which has no place in its parameter. "
            "Correct it, or leave the row out."
        )
    return value


def _outcome(said: Any, name: str, place: int, best: float | None) -> float:
    try:
        outcome = math.nan if pd.isna(said) else float(said)
    except (TypeError, ValueError):
        raise UserInputError(
            f"Row {place}: {name!r} is {said!r}, which is no number. Leave it empty if the trial "
            "failed."
        ) from None
    if outcome == best:
        raise UserInputError(
            f"Row {place}: {name!r} is {said!r}, which would be better than everything. Correct "
            "it, or leave it empty if the trial failed."
        )
    return outcome
