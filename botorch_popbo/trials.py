"""Past trials from tables and files."""

import logging
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo._evaluation import Evaluation, Parameters, Result, read_outcome
from botorch_popbo._exports import PREFIXES, find_export, find_outcome, read_export
from botorch_popbo._plain import Value, as_float, is_standard_error
from botorch_popbo._saved import RUN, saved
from botorch_popbo.candidates import Candidates
from botorch_popbo.space import Parameter, Space

if TYPE_CHECKING:
    import pandas as pd

_logger = logging.getLogger("botorch_popbo")


def read_trials(
    path: str | os.PathLike[str], space: Mapping[str, Value], objective: str, maximize: bool = False
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
        InputDataError: If the file is not a table, if a column is missing, if a value is not of its
            parameter, or if an outcome is infinitely good.
        OSError: If the file cannot be read.
    """
    searched, sign = Space.read(space), 1.0 if maximize else -1.0
    past = read_start(path, searched, sign, objective)
    if not all(e.is_past for e in past):
        raise InputDataError(f"{os.fspath(path)} has no column {objective!r}.")
    rows = [[*searched.encode(e.parameters).tolist(), sign * e.value] for e in past]
    numbers = torch.tensor(rows, dtype=torch.double).reshape(-1, len(searched.parameters) + 1)
    return numbers[:, :-1], numbers[:, -1:].nan_to_num(-math.inf, neginf=-math.inf)


def read_start(
    start: Value, space: Space, sign: float, objective: str = "value"
) -> list[Evaluation]:
    """What a search begins with; see ``start`` of :func:`~botorch_popbo.minimize`.

    Args:
        start: A dictionary, a list of them, a data frame or a CSV file; a result, evaluations, or
            the file of a run.
        space: The space. Past trials alone may lie outside of a range.
        sign: 1 where larger outcomes are better, -1 where smaller are.
        objective: What holds outcomes, unless it is a parameter.

    Returns:
        Past evaluations, and those to begin with, as running.

    Raises:
        ImportError: If a file is given and pandas is not installed.
        InputDataError: If something is none of these.
        OSError: If a file cannot be read.
    """
    outcome = "" if objective in space.parameters else objective
    where, kind, given = _given(start, space)
    is_list = isinstance(given, list)
    numbered = enumerate(given, 1) if is_list else _trials_of(given, outcome, sign, where)
    rows = [(f"{where}, {kind} {number}", row) for number, row in numbered]
    known = {*space.names, objective, "standard_error", "status"}
    for place, row in rows:
        unknown = [name for name in row if name not in known]
        # A table with outcomes may hold more than what is asked for.
        if unknown and (is_list or outcome not in row):
            hint = f'An outcome is named "{objective}"'
            if outcome in row:
                hint = "Drop it, or pass a data frame, such as to_frame() of a result"
            wrong = f"{place} has {unknown[0]!r}, which is not a parameter"
            raise InputDataError(f"{wrong}. {hint}.")
    each = [(row.get("status"), _evaluation(at, row, space, outcome, sign)) for at, row in rows]
    # What was stopped has no value, and is no failure.
    return [e for s, e in each if e.status != "failed" or s not in ("stopped", "running")]


def _given(start: Value, space: Space) -> tuple[str, str, Value]:
    """Where rows come from, what one is called, and a list of them by name or a data frame.

    Raises:
        InputDataError: If there are none.
    """
    if isinstance(start, str | os.PathLike) and (path := os.fspath(start)):
        if not path.endswith(".json"):
            return path, "line", _read_table(path, space)
        with saved(path, *RUN) as content:
            return path, "entry", [Evaluation(**row).to_row() for row in content["evaluations"]]
    if hasattr(start, "iterrows"):
        return "start", "row", start
    rows: Value = start.history if isinstance(start, Result) else start
    rows = [rows] if isinstance(rows, Mapping | Evaluation) else rows
    if isinstance(rows, Sequence) and not isinstance(rows, str | bytes):
        rows = [e.to_row() if isinstance(e, Evaluation) else e for e in rows]
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise InputDataError(
            "start must be a dictionary of parameters, a list of them, a data frame, a CSV file, "
            f"or a result of minimize or its file, but got {shortened(start)}."
        )
    # The parameters of a run may be called like the columns of an export.
    if rows and not isinstance(start, Result) and find_export(rows[0]):
        import pandas as pd

        # Scikit-learn's dictionary holds columns.
        return "start", "row", pd.DataFrame(start if "params" in start else rows)
    return "start", "entry", rows


def _trials_of(
    table: "pd.DataFrame", objective: str, sign: float, where: str
) -> list[tuple[int, Mapping[str, Value]]]:
    """The trials of a data frame, whoever exported it, each with its index.

    Raises:
        InputDataError: If the outcome is better in the other direction.
    """
    outcome, is_score = find_outcome(table, objective)
    if is_score and sign < 0:
        raise InputDataError(
            f"{where}: {outcome} is a score, so larger is better. Maximize, or add another column."
        )
    if outcome in table:
        table, _, note = read_export(table, outcome)
        if note:
            _logger.warning("%s is %s", where, note)
    table = table.rename(columns={outcome: objective})
    frame = table.astype(object).mask(table.isna(), math.nan)  # without pandas.NA
    return [(index, dict(row)) for index, row in frame.iterrows()]


def read_mapping(name: str, values: Mapping[str, Value] | None) -> dict[str, Any]:
    """A dictionary by name, or an empty one; raises InputDataError if it is something else."""
    if not isinstance(values, Mapping | None):
        raise InputDataError(f"{name} must be a dictionary by name, not {values!r}.")
    return dict(values or {})


def read_point(point: Mapping[str, Value], space: Space) -> Parameters:
    """The values of a point, which may lie outside of a range, and the constants.

    Args:
        point: The value of each parameter by name; an empty cell of a candidate may be missing.
        space: The space.

    Returns:
        The values as the parameters have them.

    Raises:
        InputDataError: If a name is missing or not one of the space's, or a value is not one of
            its parameter.
    """
    if not isinstance(point, Mapping):
        raise InputDataError(f"A point must be a dictionary of values by name, not {point!r}.")
    if unknown := [name for name in point if name not in space.names]:
        raise InputDataError(f"{point} has {unknown[0]!r}, which is not a parameter.")
    if isinstance(space, Candidates):
        space.encode(point)  # which checks the cells
        return space.row(point)
    return _parameters("the point", point, space, is_past=True)


def read_evaluation(row: Value, where: str, space: Space) -> Evaluation:
    """An evaluation as :meth:`Evaluation.to_json` writes it, checked like a user's arguments.

    Args:
        row: What a file holds.
        where: The name of that place.
        space: The space.

    Returns:
        The evaluation.

    Raises:
        InputDataError: If it is none; the message begins with the place.
    """
    if not isinstance(row, dict) or not isinstance(row.get("parameters"), dict):
        raise InputDataError(f"{where}: {row!r} is not an evaluation.")
    found = Evaluation(_parameters(where, row["parameters"], space, is_past=False))
    parts, status = row.get("parts", []), row.get("status")
    numbers = map(as_float, parts) if isinstance(parts, list) else [None]
    if any(number is None or not math.isfinite(number) for number in numbers):
        raise InputDataError(f"{where}: parts are {parts!r}, not finite numbers.")
    found = replace(found, parts=tuple(map(float, parts)), why=str(row.get("why", "")))
    if status == "completed":
        outcome = {name: row.get(name) for name in ("value", "standard_error")}
        try:  # as if the function returned it
            found = replace(found, status=status, **read_outcome(outcome))
        except ValueError as fault:
            raise InputDataError(f"{where}: {type(fault).__name__}: {fault}.") from None
    elif status == "failed":
        found = replace(found, status=status, reason=str(row.get("reason")))
    elif status == "stopped" and parts:
        found = replace(found, status=status)
    written = found.to_json()
    for name in [*written, *row]:
        read, expected = (each.get(name, "missing") for each in (row, written))
        if read != expected:
            raise InputDataError(f"{where}: {name} is {read!r}, not {expected!r}.")
    return found


def _evaluation(
    place: str, row: Mapping[str, Value], space: Space, objective: str, sign: float
) -> Evaluation:
    """A past evaluation, or a running one where there is no outcome, of a named row."""
    status, outcome, error, is_past = "running", math.nan, math.nan, objective in row
    if is_past:
        try:
            outcome = _outcome(row[objective], sign)
        except ValueError as fault:
            raise InputDataError(f"{place}: {objective} is {row[objective]}, {fault}.") from None
        status = "failed" if math.isnan(outcome) else "completed"
        if "standard_error" in row.keys() - space.names:
            error = read_error(row["standard_error"], f"{place}: a")
    hint = " To start from a result, add a column to its to_frame()." if is_past else ""
    parameters = _parameters(place, row, space, is_past, hint)
    return Evaluation(parameters, status, outcome, error, is_past=is_past)


def _parameters(
    place: str, row: Mapping[str, Value], space: Space, is_past: bool, hint: str = ""
) -> Parameters:
    """The values of a named row as the parameters have them, past ones also out of range."""
    values, name = dict[str, Value](), ""
    try:
        for name, parameter in space.parameters.items():
            if space.is_active(name, row):
                values[name] = read_value(row[name], parameter, is_past)
        for name, constant in space.constants.items():
            if row.get(name, constant) != constant:
                raise ValueError(f"but the space says {constant}")
    except KeyError:
        raise InputDataError(f"{place} lacks {name!r}.{hint}") from None
    except (ValueError, TypeError, OverflowError) as fault:
        raise InputDataError(f"{place}: {name} is {row[name]}, {fault}.") from None
    return values | space.constants


def read_csv(
    path: str | os.PathLike[str], encoding: str = "utf-8", **options: Any
) -> "pd.DataFrame":
    """A data frame of a file as spreadsheets write it, without empty lines.

    Args:
        path: The file, with commas, semicolons or tabs between values. Beside the latter two
            numbers may have a decimal comma, unless there is a decimal point.
        encoding: How its letters are written.
        **options: Further ones of :func:`pandas.read_csv`.

    Returns:
        A data frame, whose index is the line of the file.

    Raises:
        ImportError: If pandas is not installed.
        InputDataError: If the file is not a table.
        OSError: If the file cannot be read.
    """
    import pandas as pd

    try:
        text = Path(path).read_text(encoding=encoding).removeprefix("\ufeff")
        separator = find_separator(text)
        has_comma = separator != "," and not re.search(r"\d\.\d", text)
        # "None" is a text. A line with a decimal comma is neither cut off nor given an index.
        options = {"na_values": ["", "NA", "NaN", "nan", "-nan"]} | options
        options |= {"sep": separator, "decimal": "," if has_comma else ".", "index_col": False}
        options |= {"keep_default_na": False, "skipinitialspace": True, "skip_blank_lines": False}
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            table: pd.DataFrame = pd.read_csv(StringIO(text), **options)
    except (ValueError, pd.errors.ParserWarning) as error:
        reason = "it must be UTF-8, with a name for each column in its first line"
        if wide := re.search(r"line (\d+), saw (\d+)", str(error)):
            reason = f"line {wide[1]} has {wide[2]} values, more than there are names"
        raise InputDataError(f"{os.fspath(path)} cannot be read as a CSV file: {reason}.") from None
    table.index += 2
    # Truth values beside an empty line are objects.
    return table.rename(columns=str.strip).dropna(how="all").infer_objects()


def find_separator(text: str) -> str:
    """The separator of a CSV file, of whose first names some may be quoted, in several lines."""
    names = re.sub(r'(?<![^,;\s])"([^"]|"")*"', "", text).partition("\n")[0]
    return max(",;\t", key=names.count)


def _read_table(path: str | os.PathLike[str], space: Space) -> "pd.DataFrame":
    """A data frame in which choices that are texts stay texts."""
    choices = {name: p.choices or () for name, p in space.parameters.items()}
    each = choices | {name: (one,) for name, one in space.constants.items()}
    texts = [name for name, values in each.items() if any(isinstance(v, str) for v in values)]
    kinds = {f"{prefix}{name}": str for prefix in PREFIXES.values() for name in texts}
    return read_csv(path, dtype=kinds)


def read_error(value: Value, place: str = "A") -> float:
    """A standard error, NaN if it is ``None``; raises InputDataError if it is none."""
    error = math.nan if value is None else as_float(value)
    if not is_standard_error(error):
        raise InputDataError(f"{place} standard error is from 0 to 1e154, not {value!r}.")
    return error


def read_value(value: Value, parameter: Parameter, is_past: bool = False) -> Value:
    """A value as the parameter has it.

    Raises:
        ValueError: If it has none like it.
    """
    if parameter.choices is not None:
        is_number = not any(isinstance(choice, str | bool) for choice in parameter.choices)
        if None in parameter.choices and (value is None or value != value):  # an empty cell
            return None
        return parameter.choices[int(parameter.place(_float(value) if is_number else value))]
    number, is_whole = _float(value), isinstance(parameter.low, int)
    if is_whole and not number.is_integer():
        raise ValueError("not a whole number")
    if not math.isfinite(parameter.place(number)):
        raise ValueError("not a number")
    steps = 0.0 if parameter.step is None else (number - parameter.low) / parameter.step
    if abs(steps - round(steps)) > 1e-9:
        raise ValueError(f"not in steps of {parameter.step}")
    if not is_past and not parameter.low <= number <= parameter.high:
        raise ValueError(f"not from {parameter.low} to {parameter.high}")
    return int(number) if is_whole else number


def _float(value: Value) -> float:
    with suppress(TypeError, ValueError, OverflowError):
        return float(value)
    raise ValueError("not a number")


def _outcome(value: Value, sign: float) -> float:
    outcome = math.nan if value is None else _float(value)
    if sign * outcome == math.inf:
        raise ValueError("infinitely good")
    return outcome if math.isfinite(outcome) else math.nan
