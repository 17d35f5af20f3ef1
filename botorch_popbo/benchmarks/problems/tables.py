"""Tables that are looked up: tuning networks and GPU kernels, and choosing a cell's operations."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.data.sources import MLP_LABELS, TableFile
from botorch_popbo.benchmarks.data.table import Rows, Table
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters

if TYPE_CHECKING:
    from botorch_popbo.space import Space

_LABELS = {"valid_mse": "validation error (MSE)", "milliseconds": "time of a run [ms]"}


@dataclass(frozen=True, kw_only=True)
class TableProblem(Problem):
    """The mean of a table's values."""

    table: Table | Rows = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return float(self.table.means[self.table.cell(parameters)])

    def measures(self, parameters: Parameters) -> Mapping[str, float]:
        """See the base class."""
        cell = self.table.cell(parameters)
        return {name: float(values[cell]) for name, values in self.table.measures.items()}


@dataclass(frozen=True, kw_only=True)
class NoisyTableProblem(TableProblem):
    """One of a table's values, scored by their mean; what is not a number is a failure."""

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        """See the base class."""
        values = self.table.values[self.table.cell(parameters)]
        value = float(np.random.default_rng(seed).choice(values))
        return None if math.isnan(value) else value


def table(
    name: str, file: TableFile, part: str, data: Path | None, noisy: bool = True
) -> TableProblem:
    """The mean of the values of each cell of a table, or one of them, minimized."""
    loaded = file.load(data, part)
    return (NoisyTableProblem if noisy else TableProblem)(
        name=name,
        space=_space(loaded),
        label=MLP_LABELS.get(part, _LABELS.get(file.kind, "")),
        optimal_value=float(loaded.means.min()),
        noisy=noisy,
        group="tables",
        table=loaded,
    )


def nasbench201(data: Path | None) -> Problem:
    """CIFAR-10 validation accuracy in per cent after the 12-epoch schedule, maximized.

    The measures are the accuracies after 200 epochs, as far as the table has them.
    """
    table = load_nasbench201(data)
    return TableProblem(
        name="nasbench201",
        space=_space(table),
        label="validation accuracy [%]",
        minimize=False,
        optimal_value=float(table.means.max()),
        group="tables",
        table=table,
    )


def _space(table: Table) -> "Space":
    """Numbers are in the order of the table, names in none."""
    from botorch_popbo.space import Parameter, Space

    return Space(
        {
            name: Parameter.of_choices(values, not any(isinstance(v, str) for v in values))
            for name, values in table.choices.items()
        }
    )
