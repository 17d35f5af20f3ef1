"""The four FCNet tables: tuning a two-layer network for regression, looked up."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.benchmarks.tables.fcnet import Choices, FCNetTable, load_fcnet


@dataclass(frozen=True, kw_only=True)
class FCNetProblem(Problem):
    """The mean validation error over the table's four seeds, minimized.

    Attributes:
        table: The table that is looked up.
    """

    table: FCNetTable = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return float(self.table.mean_error[self.table.row(parameters)])


@dataclass(frozen=True, kw_only=True)
class NoisyFCNetProblem(FCNetProblem):
    """The validation error of one of the four trainings, scored by their mean."""

    def evaluate(self, parameters: Parameters, seed: int) -> float:
        """See the base class."""
        errors = self.table.errors[self.table.row(parameters)]
        return float(np.random.default_rng(seed).choice(errors))


def fcnet(name: str, data_set: str, data: Path | None) -> FCNetProblem:
    """Make a problem of one of the table's data sets.

    Args:
        name: The problem's name in the registry.
        data_set: The data set's name in the file.
        data: The folder of table files, or None.

    Returns:
        The problem.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    return FCNetProblem(**_fields(name, data_set, data))


def noisy_fcnet(name: str, data_set: str, data: Path | None) -> NoisyFCNetProblem:
    """Make a problem that sees one training at a time; see :func:`fcnet`."""
    return NoisyFCNetProblem(**_fields(name, data_set, data), noisy=True)


def _fields(name: str, data_set: str, data: Path | None) -> dict[str, Any]:
    table = load_fcnet(data, data_set)
    return {
        "name": name,
        "parameters": [_config(key, values) for key, values in table.choices.items()],
        "label": "validation error (MSE)",
        "metric_name": "valid_mse",
        "minimize": True,
        "optimal_value": float(table.mean_error.min()),
        "table": table,
    }


def _config(name: str, values: Choices) -> ChoiceParameterConfig:
    if all(isinstance(value, str) for value in values):
        return ChoiceParameterConfig(
            name=name, values=[str(v) for v in values], parameter_type="str", is_ordered=False
        )
    if all(isinstance(value, int) for value in values):
        return ChoiceParameterConfig(
            name=name, values=[int(v) for v in values], parameter_type="int", is_ordered=True
        )
    return ChoiceParameterConfig(
        name=name, values=[float(v) for v in values], parameter_type="float", is_ordered=True
    )
