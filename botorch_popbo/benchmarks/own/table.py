"""A user's CSV file as a problem."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from botorch.exceptions import InputDataError

from botorch_popbo._errors import UsageError
from botorch_popbo._exports import find_outcome, read_export
from botorch_popbo.benchmarks.data.table import Rows
from botorch_popbo.benchmarks.names import unknown
from botorch_popbo.benchmarks.own.files import check_unchanged, digest_of, record_name
from botorch_popbo.benchmarks.problems.tables import NoisyTableProblem, TableProblem
from botorch_popbo.space import Parameter, Space
from botorch_popbo.trials import read_csv

#: What a column can be.
KINDS = ("float", "log", "int", "ordered", "choice", "skip")
_FEW = 10  # values of a grid, along one axis
_WIDE = 100.0  # the ratio of the ends of a range that asks for a logarithm
_DATE = r"(\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4})([T ].*)?"  # ISO 8601, or of a spreadsheet
_EXACT = 2**53  # up to here whole numbers are told apart as floats


@dataclass(frozen=True)
class TableSource:
    """A CSV file, how to read it, and a checksum of both.

    Attributes:
        path: The file.
        objective: The column that is optimized; failed evaluations are empty there.
        columns: What columns are, as in ``"rate=log"``; of the others it is inferred.
        maximize: Whether large values are good.
        digest: The checksum.
    """

    path: Path
    objective: str
    columns: tuple[str, ...]
    maximize: bool
    digest: str

    @classmethod
    def find(cls, path: Path, objective: str, columns: tuple[str, ...], maximize: bool) -> Self:
        """Look a file up; raises OSError if it cannot be read, and UsageError if it is no table."""
        settings = (objective, columns, maximize or find_outcome(_frame(path), objective)[1])
        return cls(path, *settings, digest_of(path, *settings))

    def name(self, taken: Collection[str]) -> str:
        """The name under which the problem is recorded."""
        return record_name(self.load().name, self.digest, taken)

    def load(self) -> TableProblem:
        """Make the problem.

        Raises:
            UsageError: If the table has no such column, or a column is of another kind, or the file
                has changed since it was found.
        """
        check_unchanged(self.path, self.digest, self.objective, self.columns, self.maximize)
        return _make(self)

    def describe(self) -> Iterator[str]:
        """Say what the table was taken for, and how to change that."""
        table, kinds, note = _read(self)
        found = self.load().space.parameters
        best = "largest" if self.maximize else "smallest"
        objective = table[self.objective]
        yield f"{self.path.name}: {len(table)} rows, {int(objective.isna().sum())} of them failed"
        if note:
            yield f"  {note}"
        for name, kind in kinds.items():
            p = found.get(name)
            span = "" if p is None else ", ".join(map(str, p.choices or (p.low, p.high)))
            yield f"  {name}: {kind} {span}"
        ends = f"{objective.min():.4g} to {objective.max():.4g}"
        yield f"  {self.objective}: the objective, {best} is best, {ends}"
        yield "  a point that is not in the table has the outcome of the nearest row"
        yield f"  (to change a column: --column NAME=KIND, of {', '.join(KINDS)})"


@cache  # every replication asks for it
def _make(source: TableSource) -> TableProblem:
    table, kinds, _ = _read(source)
    names = [name for name, kind in kinds.items() if kind != "skip"]
    if not names:
        raise UsageError(f"{source.path} has no column to choose besides {source.objective}")
    space = Space({name: _parameter(table[name], kinds[name]) for name in names})
    objective = table[source.objective]
    worst = objective.min() if source.maximize else objective.max()
    groups = table.groupby(names, sort=False)[source.objective]
    points: Any = table[names].drop_duplicates().to_dict("records")
    values = [group.to_numpy(dtype=float) for _, group in groups]
    rows = Rows.of(space, points, values, worst)
    return NoisyTableProblem(
        name=re.sub(r"[^\w.+-]", "-", source.path.stem),
        label=source.objective,
        space=space,
        minimize=not source.maximize,
        optimal_value=float(rows.means.max() if source.maximize else rows.means.min()),
        noisy=any(len(several) > 1 for several in values),
        table=rows,
    )


def _frame(path: Path) -> pd.DataFrame:
    try:
        return read_csv(path, na_values=[""])
    except InputDataError as error:
        raise UsageError(str(error)) from None


def _read(source: TableSource) -> tuple[pd.DataFrame, dict[str, str], str]:
    """The table, its rows by the numbers of their lines, the kinds of its other columns, a note."""
    table = _frame(source.path)
    if source.objective not in table:
        raise unknown("column", source.objective, table.columns, owner=f"{source.path} has")
    table, others, note = read_export(table, source.objective)
    _check_objective(table[source.objective], source.path)
    names = [name for name in table.columns if name != source.objective]
    stated = _stated_kinds(source.columns, names)
    names = [name for name in names if name in stated or name not in others]
    kinds = {name: stated.get(name) or infer(table[name]) for name in names}
    for name in (name for name, kind in kinds.items() if kind != "skip"):
        column = table[name]
        wrong = column.isna() | column.isin([np.inf, -np.inf])
        if wrong.any():
            line = f"{source.path}, line {column.index[wrong][0]}"
            advice = f"fill it in, or leave it out with --column {name}=skip"
            raise UsageError(f"{line}: column {name} is empty or infinite; {advice}")
        if _is_whole(column):
            table[name] = column.astype(int)
        elif not _is_numeric(column) and not pd.api.types.is_bool_dtype(column):
            table[name] = column.astype(str)
    return table, kinds, note


def _stated_kinds(columns: Collection[str], names: Collection[str]) -> dict[str, str]:
    """What the user says of columns, as in ``("rate=log", "seed=skip")``, by column."""
    kinds = {}
    for text in columns:
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
        # A text that is never the same twice names the row, and a date says when it was made.
        is_date = column.dropna().astype(str).str.fullmatch(_DATE).all()
        return "skip" if is_date or len(values) == len(column) > _FEW else "choice"
    if len(values) <= _FEW and 2 * len(values) <= len(column):
        return "ordered"
    if values.min() > 0 and values.max() >= _WIDE * values.min():
        logarithms = np.log(values)
        # The scale on which the median is nearer to the middle.
        if _skew(logarithms) < _skew(np.exp(logarithms - logarithms.max())):
            return "log"
    return "int" if _is_whole(column) else "float"


def _skew(numbers: Any) -> float:
    low, middle, high = np.quantile(numbers, (0.0, 0.5, 1.0))
    return abs(float((middle - low) / (high - low)) - 0.5)


def _parameter(column: "pd.Series[Any]", kind: str) -> Parameter:
    """The parameter of a column of that kind; UsageError if it cannot be of that kind."""
    is_whole, values = _is_whole(column), column.unique().tolist()
    advice = f"say --column {column.name}=skip, or another kind than {kind}"
    if kind != "choice" and not _is_numeric(column):
        raise UsageError(f"column {column.name} does not hold numbers; {advice}")
    if pd.api.types.is_integer_dtype(column) and column.abs().max() > _EXACT:
        raise UsageError(f"column {column.name} is beyond 2^53, where digits are lost; {advice}")
    if kind == "int" and not is_whole:
        raise UsageError(f"column {column.name} does not hold whole numbers; {advice}")
    try:
        if kind in ("choice", "ordered"):
            return Parameter.of_choices(sorted(values), kind == "ordered")
        if is_whole and kind != "float":
            return Parameter(min(values), max(values), 1, kind == "log")
        return Parameter(float(min(values)), float(max(values)), None, kind == "log")
    except InputDataError as error:
        raise UsageError(f"column {column.name}: {error} Or {advice}") from None


def _check_objective(column: "pd.Series[Any]", path: Path) -> None:
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = column.notna() & ~np.isfinite(numbers)
    if wrong.any():
        [value] = column[wrong].iloc[:1].tolist()  # a number of Python's, not of NumPy's
        line = f"{path}, line {column.index[wrong][0]}"
        raise UsageError(f"{line}: {column.name} is {value!r}; leave it empty if that run failed")
    if numbers.nunique() < 2:
        raise UsageError(f"{path}: column {column.name} holds fewer than two different numbers")


def _is_numeric(column: "pd.Series[Any]") -> bool:
    types = pd.api.types
    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def _is_whole(column: "pd.Series[Any]") -> bool:
    """Whether a column holds whole numbers that are small enough to be told apart."""
    if not _is_numeric(column):
        return False
    return bool((column == column.round()).all() and column.abs().max() <= _EXACT)
