"""Tables that are looked up: tuning networks and GPU kernels, and choosing a cell's operations."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.data.fcnet import load_fcnet
from botorch_popbo.benchmarks.data.kernels import load_kernel
from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.data.networks import DATA_SETS, load_networks
from botorch_popbo.benchmarks.data.rows import Rows
from botorch_popbo.benchmarks.data.table import Table
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters


@dataclass(frozen=True, kw_only=True)
class TableProblem(Problem):
    """The mean of a table's values."""

    table: Table | Rows = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        return float(self.table.means[self.table.cell(parameters)])

    def measures(self, parameters: Parameters) -> Mapping[str, float]:
        cell = self.table.cell(parameters)
        return {name: float(values[cell]) for name, values in self.table.measures.items()}


@dataclass(frozen=True, kw_only=True)
class NoisyTableProblem(TableProblem):
    """One of a table's values, scored by their mean; what is not a number is a failure."""

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        values = self.table.values[self.table.cell(parameters)]
        value = float(np.random.default_rng(seed).choice(values))
        return None if math.isnan(value) else value


def fcnet(name: str, data_set: str, noisy: bool, data: Path | None) -> Problem:
    """The mean validation error of four trainings, or that of one of them, minimized."""
    table = load_fcnet(data, data_set)
    return _minimized(name, table, "valid_mse", "validation error (MSE)", noisy)


def network(name: str, data_set: str, data: Path | None) -> Problem:
    """The test error of a small network, trained on one of eight splits, minimized."""
    return _minimized(name, load_networks(data, data_set), "error", DATA_SETS[data_set])


def kernel(name: str, kernel: str, gpu: str, data: Path | None) -> Problem:
    """The time of one of 32 runs of a GPU kernel, minimized."""
    return _minimized(name, load_kernel(data, kernel, gpu), "milliseconds", "time of a run [ms]")


def _minimized(name: str, table: Table, metric: str, label: str, noisy: bool = True) -> Problem:
    return (NoisyTableProblem if noisy else TableProblem)(
        name=name,
        parameters=[*_parameters(table)],
        label=label,
        metric_name=metric,
        minimize=True,
        optimal_value=float(table.means.min()),
        noisy=noisy,
        group="tables",
        table=table,
    )


def nasbench201(data: Path | None) -> Problem:
    """CIFAR-10 validation accuracy in per cent after the 12-epoch schedule, maximized.

    The measures are the accuracies after 200 epochs, as far as the table has them.
    """
    table = load_nasbench201(data)
    return TableProblem(
        name="nasbench201",
        parameters=[*_parameters(table)],
        label="validation accuracy [%]",
        metric_name="accuracy",
        minimize=False,
        optimal_value=float(table.means.max()),
        group="tables",
        table=table,
    )


def _parameters(table: Table) -> Iterator[ChoiceParameterConfig]:
    for name, values in table.choices.items():
        kinds = (kind for kind in (str, int) if all(isinstance(value, kind) for value in values))
        kind: Any = next(kinds, float)
        ordered = kind is not str
        yield ChoiceParameterConfig(name, [*map(kind, values)], kind.__name__, is_ordered=ordered)
