"""NAS-Bench-201: choosing the operations of a cell, looked up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.benchmarks.tables.nasbench201 import (
    NUM_EDGES,
    NASBench201Table,
    load_nasbench201,
)


@dataclass(frozen=True, kw_only=True)
class NASBench201Problem(Problem):
    """CIFAR-10 validation accuracy in per cent after the 12-epoch schedule, maximized.

    Attributes:
        table: The table that is looked up.
    """

    table: NASBench201Table = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return float(self.table.accuracy[self._row(parameters)])

    def measures(self, parameters: Parameters) -> Mapping[str, float]:
        """The accuracies in per cent after 200 epochs, as far as the table has them."""
        row = self._row(parameters)
        return {name: float(accuracies[row]) for name, accuracies in self.table.full.items()}

    def _row(self, parameters: Parameters) -> int:
        return self.table.row([str(parameters[config.name]) for config in self.parameters])


def nasbench201(data: Path | None) -> NASBench201Problem:
    """Make the problem.

    Args:
        data: The folder of table files, or None.

    Returns:
        The problem.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    table = load_nasbench201(data)
    return NASBench201Problem(
        name="nasbench201",
        parameters=[
            ChoiceParameterConfig(
                name=f"edge{i}",
                values=list(table.operations),
                parameter_type="str",
                is_ordered=False,
            )
            for i in range(NUM_EDGES)
        ],
        label="validation accuracy [%]",
        metric_name="accuracy",
        minimize=False,
        optimal_value=float(table.accuracy.max()),
        table=table,
    )
