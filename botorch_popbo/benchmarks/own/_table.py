"""A user's CSV file as a problem."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.ax.attach import read_table
from botorch_popbo.benchmarks.data.rows import Rows
from botorch_popbo.benchmarks.errors import UsageError, unknown
from botorch_popbo.benchmarks.own._columns import (
    infer,
    make_parameter,
    places,
    plain,
    read_columns,
)
from botorch_popbo.benchmarks.own._files import check_unchanged, digest_of, record_name
from botorch_popbo.benchmarks.problems._tables import NoisyTableProblem, TableProblem
from botorch_popbo.benchmarks.search_space.points import ParameterConfig


@dataclass(frozen=True)
class TableSource:
    """A CSV file, what is said of it, and a checksum of both.

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
        """Look a file up; raises UsageError if it cannot be read."""
        said = (objective, columns, maximize)
        return cls(path, *said, digest_of(path, *said))

    def name(self, taken: Collection[str]) -> str:
        """The name under which the problem is recorded."""
        return record_name(self.load().name, self.digest, taken)

    def load(self) -> TableProblem:
        """Make the problem.

        Raises:
            UsageError: If the table has no such column, or is not what is said of it, or the file
                has changed since it was found.
        """
        check_unchanged(self.path, self.digest, self.objective, self.columns, self.maximize)
        return _make(self)

    def describe(self) -> Iterator[str]:
        """Say what the table was taken for, and how to change that."""
        table, kinds = _read(self)
        problem = self.load()
        best = "largest" if self.maximize else "smallest"
        failed = int(table[self.objective].isna().sum())
        yield f"{self.path.name}: {len(table)} rows, {failed} of them failed"
        width = max(map(len, (*kinds, self.objective)))
        found = {config.name: config for config in problem.parameters}
        for name, kind in kinds.items():
            yield f"  {name:<{width}}  {kind:<8}{_span(found[name]) if name in found else ''}"
        low, high = table[self.objective].min(), table[self.objective].max()
        yield f"  {self.objective:<{width}}  objective, {best} is best: {low:.4g} to {high:.4g}"
        yield "  a point that is not in the table has the outcome of the nearest row"
        yield "  (to change a column: --column NAME=float, log, int, ordered, choice or skip)"


@cache  # every replication asks for it
def _make(source: TableSource) -> TableProblem:
    table, kinds = _read(source)
    parameters = {
        name: make_parameter(table[name], kind) for name, kind in kinds.items() if kind != "skip"
    }
    if not parameters:
        raise UsageError(f"{source.path} has no column to choose, only {source.objective}")
    for name in parameters:
        table[name] = plain(table[name], kinds[name])
    rows = _rows(table, parameters, source.objective, source.maximize)
    return NoisyTableProblem(
        name=re.sub(r"[^\w.+-]", "-", source.path.stem),
        label=source.objective,
        parameters=list(parameters.values()),
        metric_name="objective",  # Ax takes some names of columns, such as E, for constants
        minimize=not source.maximize,
        optimal_value=float(rows.means.max() if source.maximize else rows.means.min()),
        noisy=any(len(values) > 1 for values in rows.values),
        table=rows,
    )


def _read(source: TableSource) -> tuple[pd.DataFrame, dict[str, str]]:
    try:
        table = read_table(source.path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{source.path} cannot be read as a CSV file: {error}") from None
    names = list(table.columns)
    if source.objective not in names:
        raise unknown(f"column in {source.path}:", source.objective, names)
    _check_objective(table[source.objective], source.path)
    names.remove(source.objective)
    said = read_columns(source.columns, names)
    kinds = {}
    for name in names:
        kinds[name] = said.get(name) or infer(table[name])
        if kinds[name] != "skip":
            _check_parameter(table[name], source.path)
    return table, kinds


def _check_parameter(column: "pd.Series[Any]", path: Path) -> None:
    for is_wrong, problem in (
        (column.isna(), "empty; fill it"),
        (column.isin([np.inf, -np.inf]), "infinite; correct it"),
    ):
        if is_wrong.any():
            line = f"{path}, line {column.index[is_wrong][0]}"
            advice = f"or leave it out with --column {column.name}=skip"
            raise UsageError(f"{line}: column {column.name} is {problem}, {advice}")


def _check_objective(column: "pd.Series[Any]", path: Path) -> None:
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = column.notna() & ~np.isfinite(numbers)
    if wrong.any():
        line = f"{path}, line {column.index[wrong][0]}"
        [value] = column[wrong].iloc[:1].tolist()  # a number of Python's, not of NumPy's
        raise UsageError(f"{line}: {column.name} is {value!r}; leave it empty if that run failed")
    if numbers.nunique() < 2:
        raise UsageError(f"{path}: column {column.name} holds fewer than two different numbers")


def _rows(
    table: pd.DataFrame, parameters: dict[str, ParameterConfig], objective: str, maximize: bool
) -> Rows:
    groups = table.groupby(list(parameters), sort=False)[objective]
    points = table[list(parameters)].drop_duplicates()
    values = np.empty(len(points), dtype=object)
    values[:] = [group.to_numpy(dtype=float) for _, group in groups]
    worst = table[objective].min() if maximize else table[objective].max()
    is_category = [
        isinstance(config, ChoiceParameterConfig) and not config.is_ordered
        for config in parameters.values()
    ]
    return Rows(
        place=lambda point: places(pd.DataFrame([dict(point)]), parameters)[0],
        places=places(points, parameters),
        is_category=np.array(is_category),
        values=values,
        means=groups.mean().fillna(worst).to_numpy(),
    )


def _span(config: ParameterConfig) -> str:
    if isinstance(config, ChoiceParameterConfig):
        return ", ".join(map(str, config.values))
    low, high = config.bounds
    return f"{low:.4g} to {high:.4g}"
