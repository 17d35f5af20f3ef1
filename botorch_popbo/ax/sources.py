"""Earlier experiments as sources of a new one: their evaluations in, its first suggestion out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.trial_status import TrialStatus
from ax.core.types import TParameterization
from ax.exceptions.core import UserInputError
from ax.generation_strategy.external_generation_node import ExternalGenerationNode
from ax.generation_strategy.transition_criterion import AutoTransitionAfterGen, MinTrials

from botorch_popbo._plain import plain
from botorch_popbo.ax._criteria import DistinctPoints
from botorch_popbo.ax._source_points import check_numbers, points_of

#: Evaluations of one experiment: for each the value of every parameter and metric, by name.
Evaluations = Sequence[Mapping[str, Any]]


def as_evaluations(tables: Sequence[pd.DataFrame]) -> list[list[dict[str, Any]]]:
    """Tables of evaluations in a form that Ax can store.

    Args:
        tables: A table for each experiment, with a row for each evaluation and a column for each
            parameter and metric, such as ``client.summarize()``. Other columns have no effect.

    Returns:
        The rows of each table, in Python's own types.

    Raises:
        UserInputError: If something is not a table, or has no rows.
    """
    for table in tables:
        if not isinstance(table, pd.DataFrame):
            raise UserInputError(
                "sources is a list of tables, one for each earlier experiment, such as "
                f"[client.summarize()]; it holds a {type(table).__name__}."
            )
        if table.empty:
            raise UserInputError("A table of sources has no rows. Leave it out.")
    return [[_plain(row) for row in table.to_dict("records")] for table in tables]


@dataclass(init=False, eq=False)  # Ax stores the fields of a dataclass
class BestOfSources(ExternalGenerationNode):
    """Suggests the best evaluation of the first source that can be repeated, once.

    Args:
        next_node_name: Name of the node that takes over as soon as a trial is complete.
        meanwhile: Name of the node that suggests until then.
        sources: Evaluations of earlier experiments.
    """

    next_node_name: str
    meanwhile: str
    sources: Sequence[Evaluations]

    def __init__(self, next_node_name: str, meanwhile: str, sources: Sequence[Evaluations]) -> None:
        super().__init__(
            name="sources",
            transition_criteria=[
                MinTrials(
                    threshold=1,
                    transition_to=next_node_name,
                    use_all_trials_in_exp=True,
                    only_in_statuses=[TrialStatus.COMPLETED],
                    count_only_trials_with_data=True,
                ),
                DistinctPoints(next_node_name, beside_sources=True),
                AutoTransitionAfterGen(meanwhile, continue_trial_generation=False),
            ],
        )
        self.next_node_name, self.meanwhile = next_node_name, meanwhile
        self.sources = sources
        self._best: TParameterization | None = None

    def update_generator_state(self, experiment: Experiment, data: Data) -> None:
        """Look for the best evaluation that lies in the search space.

        Raises:
            UserInputError: If there is none, or a column or a value is missing or wrong.
        """
        config = experiment.optimization_config
        assert config is not None
        signs = {name: np.sign(weight) for name, weight in config.objective.metric_weights}
        space = experiment.search_space
        tables = [pd.DataFrame(source) for source in self.sources]
        for table in tables:
            check_columns(table, [*space.parameters, *signs])
            for metric, sign in signs.items():
                check_numbers(table, metric, allowed=-sign * math.inf)
        complete = [table[table[list(signs)].notna().all(axis=1)] for table in tables]
        points = [points_of(table, space.parameters) for table in complete]
        for table, known in zip(complete, points, strict=True):
            places = pd.DataFrame({name: sign * table[name].rank() for name, sign in signs.items()})
            for row in places.sum(axis=1).sort_values(ascending=False, kind="stable").index:
                if row in known and space.check_membership(known[row]):
                    self._best = known[row]
                    return
        raise UserInputError(
            "No evaluation of a source lies in the search space of the experiment. Widen the "
            "search space, or leave out sources."
        )

    def get_next_candidate(self, pending_parameters: list[TParameterization]) -> TParameterization:
        """Return what was found."""
        assert self._best is not None
        return self._best


def check_columns(table: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise an error if a column is missing, or there twice.

    Args:
        table: Evaluations of an experiment.
        names: Names of parameters and metrics.

    Raises:
        UserInputError: If it is so.
    """
    missing = [name for name in names if name not in table]
    if missing:
        raise UserInputError(
            f"The table lacks the columns {', '.join(missing)}. It needs one for each parameter "
            "and each metric of the objective, under the names of the new experiment."
        )
    if twice := sorted({name for name in names if list(table.columns).count(name) > 1}):
        raise UserInputError(
            f"The table has the columns {', '.join(twice)} twice. Leave one of each out."
        )


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): None if said is pd.NA else plain(said) for name, said in row.items()}
