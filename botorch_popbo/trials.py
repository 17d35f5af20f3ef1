"""Past trials from tables and files."""

import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo._workers import Evaluation
from botorch_popbo.space import Parameter, Space

# Where a start tells outcomes.
_OUTCOME = "value"


def read_trials(
    path: str | os.PathLike[str], space: Mapping[str, Any], objective: str, maximize: bool = False
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
    searched, where = Space.read(space), os.fspath(path)
    table = _read_table(path, searched)
    if missing := [name for name in (*searched.parameters, objective) if name not in table]:
        raise InputDataError(f"{where} has no column {missing[0]!r} among {[*table]}.")
    sign, rows = 1.0 if maximize else -1.0, []
    for e in _told(_lines(table, where), searched, objective, sign):
        rows.append([*searched.encode(e.parameters).tolist(), sign * e.value])
    numbers = torch.tensor(rows, dtype=torch.double).reshape(-1, len(searched.parameters) + 1)
    return numbers[:, :-1], numbers[:, -1:].nan_to_num(-math.inf, neginf=-math.inf)


def read_start(start: Any, space: Space, sign: float) -> list[Evaluation]:
    """What a search begins with; see ``start`` of :func:`~botorch_popbo.minimize`.

    Args:
        start: A dictionary, a list of them, a data frame or a CSV file.
        space: The space. Past trials alone may lie outside of a range.
        sign: 1 where larger outcomes are better, -1 where smaller are.

    Returns:
        Past evaluations, and then those to begin with, as running.

    Raises:
        ImportError: If a file is given and pandas is not installed.
        InputDataError: If something is none of these.
        OSError: If a file cannot be read.
    """
    rows = [start] if isinstance(start, Mapping) else start
    objective = "" if _OUTCOME in space.parameters else _OUTCOME
    if isinstance(start, str | os.PathLike):
        records = _lines(_read_table(start, space), os.fspath(start))
    elif hasattr(start, "iterrows"):
        frame = start.astype(object).mask(start.isna(), math.nan)  # without pandas.NA
        records = [(f"start, row {index}", dict(row)) for index, row in frame.iterrows()]
    elif isinstance(rows, Sequence) and all(isinstance(told, Mapping) for told in rows):
        records = [(f"start, entry {number}", told) for number, told in enumerate(rows, 1)]
    else:
        raise InputDataError(
            "start is a dictionary of parameters, a list of them, a data frame or the path of a "
            f"CSV file, but got {start!r}."
        )
    known = {*space.parameters, *space.constants, _OUTCOME}
    for place, told in records:
        unknown = [name for name in told if name not in known]
        # A table with outcomes may hold more than what is asked for.
        if unknown and (objective not in told or isinstance(rows, list | tuple)):
            raise InputDataError(
                f'{place} has {unknown[0]!r}, which is no parameter. An outcome is named "value".'
            )
        for name, own in space.constants.items():
            if name in told and told[name] != own:
                raise InputDataError(f"{place}: {name} is {told[name]}, but the space says {own}.")
    found = _told(records, space, objective, sign)
    return sorted(found, key=lambda evaluation: not evaluation.is_past)


def _told(
    records: Sequence[tuple[str, Mapping[str, Any]]], space: Space, objective: str, sign: float
) -> Iterator[Evaluation]:
    """Past evaluations, or running ones where there is no outcome, of named rows."""
    for place, told in records:
        values: dict[str, Any] = {}
        outcome, name, is_past = math.nan, objective, objective in told
        try:
            if is_past:
                outcome = _outcome(told[objective], sign)
            for name, parameter in space.parameters.items():
                values[name] = _value(told[name], parameter, is_past)
        except KeyError:
            raise InputDataError(f"{place} has no {name!r} among {[*told]}.") from None
        except (ValueError, TypeError) as error:
            raise InputDataError(f"{place}: {name} is {told[name]}, {error}.") from None
        status = "running" if not is_past else "failed" if math.isnan(outcome) else "completed"
        yield Evaluation(values | space.constants, status, outcome, is_past=is_past)


def _lines(table: Any, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    names = [f"{where}, line {index + 2}" for index in table.index]
    return list(zip(names, table.to_dict("records"), strict=True))


def read_csv(path: str | os.PathLike[str], **options: Any) -> Any:
    """A data frame of a file as spreadsheets write it, without empty lines.

    Args:
        path: The file, with commas, semicolons or tabs between values. Beside the latter two
            numbers may have a decimal comma, unless there is a decimal point.
        **options: Further ones of :func:`pandas.read_csv`.

    Returns:
        A data frame; line ``index + 2`` of the file is a row's.

    Raises:
        ImportError: If pandas is not installed.
        InputDataError: If the file is no table.
        OSError: If the file cannot be read.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise ImportError("Reading a CSV file needs pandas: pip install pandas") from error
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        separator = max(",;\t", key=text.partition("\n")[0].count)
        has_comma = separator != "," and not re.search(r"\d\.\d", text)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # A line with a decimal comma is neither cut off nor given an index.
            table = pd.read_csv(
                StringIO(text),
                sep=separator,
                decimal="," if has_comma else ".",
                keep_default_na=False,
                skipinitialspace=True,
                skip_blank_lines=False,
                index_col=False,
                **options,
            )
    except (ValueError, pd.errors.ParserWarning) as error:
        raise InputDataError(
            f"{os.fspath(path)} cannot be read as a CSV file in UTF-8 with commas between values "
            f"and points in numbers: {error}."
        ) from None
    # Truth values beside an empty line are objects.
    return table.rename(columns=str.strip).dropna(how="all").infer_objects()


def _read_table(path: str | os.PathLike[str], space: Space) -> Any:
    """A data frame in which choices that are texts stay texts."""
    own = space.parameters.items()
    texts = [name for name, p in own if p.choices and isinstance(p.choices[0], str)]
    texts += [name for name, value in space.constants.items() if isinstance(value, str)]
    # "None" is a text.
    return read_csv(
        path, dtype=dict.fromkeys(texts, str), na_values=["", "NA", "NaN", "nan", "-nan"]
    )


def _value(told: Any, parameter: Parameter, is_past: bool) -> Any:
    if parameter.choices is not None:
        is_number = not isinstance(parameter.choices[0], str | bool)
        return parameter.choices[int(parameter.place(float(told) if is_number else told))]
    number, is_whole = float(told), isinstance(parameter.low, int)
    if is_whole and not number.is_integer():
        raise ValueError("no whole number")
    if not math.isfinite(parameter.place(number)):
        raise ValueError("no number")
    if parameter.step is not None:
        steps = (number - parameter.low) / parameter.step
        if abs(steps - round(steps)) > 1e-9:
            raise ValueError(f"not in steps of {parameter.step}")
    if not is_past and not parameter.low <= number <= parameter.high:
        raise ValueError(f"not from {parameter.low} to {parameter.high}")
    return int(number) if is_whole else number


def _outcome(told: Any, sign: float) -> float:
    outcome = math.nan if told is None else float(told)
    if sign * outcome == math.inf:
        raise ValueError("infinitely good")
    return outcome if math.isfinite(outcome) else math.nan
