"""Earlier experiments as sources of a new one: their evaluations in, its first suggestion out."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd
from ax.core.arm import Arm
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.parameter import ChoiceParameter, Parameter, RangeParameter
from ax.core.search_space import SearchSpace
from ax.core.types import TParameterization, TParamValue
from ax.exceptions.core import UserInputError
from ax.generation_strategy.external_generation_node import ExternalGenerationNode
from ax.generation_strategy.transition_criterion import AutoTransitionAfterGen

from botorch_popbo._plain import plain
from botorch_popbo.ax._progress import DistinctPoints

#: Evaluations of one experiment: for each the value of every parameter and metric, by name.
Evaluations = Sequence[Mapping[str, TParamValue]]


def as_evaluations(tables: Iterable[pd.DataFrame]) -> list[list[dict[str, TParamValue]]]:
    """Tables of evaluations in a form that Ax can store.

    Args:
        tables: A table for each experiment, with a row for each evaluation and a column for each
            parameter and metric, such as ``client.summarize()``. Other columns have no effect.

    Returns:
        The rows of each table, in Python's own types.

    Raises:
        UserInputError: If something is not a table, or has no rows.
    """
    evaluations = []
    for table in tables:
        if not isinstance(table, pd.DataFrame) or table.empty:
            raise UserInputError(
                "sources must be a list of tables, one for each earlier experiment, such as "
                f"[client.summarize()]; it holds {type(table).__name__} without rows or columns."
            )
        evaluations.append([_plain(row) for row in table.to_dict("records")])
    return evaluations


@dataclass(eq=False)  # Ax stores the fields of a dataclass
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

    def __post_init__(self) -> None:
        enough = DistinctPoints(self.next_node_name, beside_sources=True, num_ended=1)
        after_each = AutoTransitionAfterGen(self.meanwhile, continue_trial_generation=False)
        super().__init__(name="sources", transition_criteria=[enough, after_each])

    def update_generator_state(self, experiment: Experiment, data: Data) -> None:
        """Learn nothing: the sources stay what they are."""

    def get_next_candidate(self, pending_parameters: list[TParameterization]) -> TParameterization:
        """The best evaluation that lies in the search space and was not tried, if there is one.

        Raises:
            UserInputError: If none lies there, or a column or a value is missing or wrong.
        """
        goal, space = self.experiment.optimization_config, self.experiment.search_space
        assert goal is not None
        signs = {name: float(np.sign(weight)) for name, weight in goal.objective.metric_weights}
        found, every = [], dict.fromkeys(goal.metric_names, 1.0) | signs
        for source in self.sources:
            points, outcomes = read_source(source, space, every)
            ranks = (outcomes[[*signs]] * signs).rank().sum(axis=1)
            best_first = ranks.sort_values(ascending=False, kind="stable").index
            found += [points[row] for row in best_first if row in points]
        found = [point for point in found if space.check_membership(point)]
        if not found:
            raise UserInputError(
                "No evaluation of a source lies in the search space of the experiment. Widen the "
                "search space, or leave out sources."
            )
        tried = self.experiment.arms_by_signature
        return next((point for point in found if Arm(point).signature not in tried), found[0])


def read_source(
    source: Evaluations, space: SearchSpace, signs: Mapping[str, float]
) -> tuple[dict[int, TParameterization], pd.DataFrame]:
    """The points of a source, and its outcomes, where all metrics were measured.

    Args:
        source: The evaluations.
        space: The search space.
        signs: Of each metric, 1 where larger values are better, or -1.

    Returns:
        Points by row in the types of the parameters, without what is empty; a row is left out if
        the model has no place for it, as for a choice that no longer exists. And the rows that have
        all metrics.

    Raises:
        UserInputError: If a column is missing or there twice, or a value is wrong.
    """
    table, parameters = pd.DataFrame(source), space.parameters
    missing = [name for name in [*parameters, *signs] if name not in table]
    if missing:
        raise UserInputError(
            f"The table lacks the columns {', '.join(missing)}. It needs one for each parameter "
            "and each metric of the goal, under the names of the new experiment."
        )
    for metric, sign in signs.items():
        _check_numbers(table, metric, allowed=-sign * math.inf)
    table = table[table[[*signs]].notna().all(axis=1)]
    for name, parameter in parameters.items():
        if name in space.top_level_parameters and (gaps := table[name].isna()).any():
            raise UserInputError(
                f"Row {gaps.idxmax()} of a source has no {name!r}. Fill it in, or leave the row "
                "out."
            )
        if parameter.is_numeric:
            _check_numbers(table, name)
    points = {}
    for row, values in table[[*parameters]].to_dict("index").items():
        point = {name: _cast(v, parameters[name]) for name, v in values.items() if pd.notna(v)}
        if all(_has_place(value, parameters[name]) for name, value in point.items()):
            points[row] = point
    return points, table


def _check_numbers(table: pd.DataFrame, name: str, allowed: float = 0.0) -> None:
    """Refuse a column that holds what is not a finite number and not the allowed infinity."""
    for row, value in table[name].dropna().items():
        if not isinstance(value, Real) or not (math.isfinite(value) or value == allowed):
            raise UserInputError(
                f"Row {row} of a source: {name!r} is {value!r}, which is not a finite number. "
                "Correct it, or leave the row out."
            )


def _has_place(value: TParamValue, parameter: Parameter) -> bool:
    """Whether there is something to learn from a value; Ax passes over trials with others."""
    if isinstance(parameter, ChoiceParameter):
        return value in parameter.values or (parameter.is_ordered and parameter.is_numeric)
    is_log = isinstance(parameter, RangeParameter) and parameter.log_scale
    return not (is_log and isinstance(value, Real) and value <= 0)


def _cast(value: TParamValue, parameter: Parameter) -> TParamValue:
    """A value in its parameter's type, such as 2 for 2.0, if nothing is lost."""
    try:
        cast = parameter.cast(value)
    except (TypeError, ValueError, OverflowError):
        return value
    return cast if cast == value else value


def _plain(row: Mapping[Hashable, object]) -> dict[str, TParamValue]:
    return {str(name): None if value is pd.NA else plain(value) for name, value in row.items()}
