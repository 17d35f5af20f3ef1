"""Earlier experiments as sources of a new one: their evaluations in, its first suggestion out."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, cast

import numpy as np
import pandas as pd
import torch
from ax.adapter.base import Adapter
from ax.adapter.data_utils import ExperimentData
from ax.adapter.transforms.base import Transform
from ax.core.arm import Arm
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.core.parameter import ChoiceParameter, Parameter, RangeParameter
from ax.core.search_space import SearchSpace
from ax.core.types import TParameterization
from ax.exceptions.core import UserInputError
from ax.generation_strategy.external_generation_node import ExternalGenerationNode
from ax.generation_strategy.transition_criterion import AutoTransitionAfterGen
from torch import Tensor

from botorch_popbo._plain import plain
from botorch_popbo.ax._progress import DistinctPoints
from botorch_popbo.ax.transforms import rank_surrogate

#: Evaluations of one experiment: for each the value of every parameter and metric, by name.
Evaluations = Sequence[Mapping[str, Any]]


def as_evaluations(tables: Iterable[pd.DataFrame]) -> list[list[dict[str, Any]]]:
    """Tables of evaluations in a form that Ax can store.

    Args:
        tables: A table for each experiment, with a row for each evaluation and a column for each
            parameter and metric, such as ``client.summarize()``. Other columns have no effect.

    Returns:
        The rows of each table, in Python's own types.

    Raises:
        UserInputError: If something is not a table, or has no rows.
    """
    found = []
    for table in tables:
        if not isinstance(table, pd.DataFrame) or table.empty:
            raise UserInputError(
                "sources is a list of tables, one for each earlier experiment, such as "
                f"[client.summarize()]; it holds {type(table).__name__} without rows or columns."
            )
        found.append([_plain(row) for row in table.to_dict("records")])
    return found


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
                DistinctPoints(next_node_name, beside_sources=True, num_ended=1),
                AutoTransitionAfterGen(meanwhile, continue_trial_generation=False),
            ],
        )
        self.next_node_name, self.meanwhile = next_node_name, meanwhile
        self.sources = sources

    def update_generator_state(self, experiment: Experiment, data: Data) -> None:
        """Learn nothing: the sources stay what they are."""

    def get_next_candidate(self, pending_parameters: list[TParameterization]) -> TParameterization:
        """The best evaluation that lies in the search space and was not tried, if there is one.

        Raises:
            UserInputError: If none lies there, or a column or a value is missing or wrong.
        """
        config, space = self.experiment.optimization_config, self.experiment.search_space
        assert config is not None
        signs = {name: float(np.sign(weight)) for name, weight in config.objective.metric_weights}
        read = dict.fromkeys(config.metric_names, 1.0) | signs
        found = []
        for points, outcomes in [_read(source, space, read) for source in self.sources]:
            ranks = pd.DataFrame({name: sign * outcomes[name] for name, sign in signs.items()})
            places = ranks.rank().sum(axis=1)
            rows = places.sort_values(ascending=False, kind="stable").index
            found += [points[row] for row in rows if row in points]
        found = [point for point in found if space.check_membership(point)]
        if not found:
            raise UserInputError(
                "No evaluation of a source lies in the search space of the experiment. Widen the "
                "search space, or leave out sources."
            )
        tried = self.experiment.arms_by_signature
        return next((point for point in found if Arm(point).signature not in tried), found[0])


class LearnFromSources(Transform):
    """Encode earlier experiments as the trials are, and tell them to the surrogate.

    The last of the transforms, because it asks all others. Its configuration holds ``"sources"``,
    the evaluations of each earlier experiment, if there are any.
    """

    def transform_experiment_data(self, experiment_data: ExperimentData) -> ExperimentData:
        """Leave the trials as they are, beside which the surrogate learns from the sources."""
        adapter = self.adapter
        if adapter is None or adapter._optimization_config is None:
            return experiment_data
        goal, sources = adapter._optimization_config, self.config.get("sources", ())
        weights = dict(goal.objective.metric_weights)
        rank_surrogate(adapter).sources = {
            metric: [
                encoded
                for source in cast(Sequence[Evaluations], sources)
                if (encoded := _encoded(source, metric, weights.get(metric, 1.0), adapter))
            ]
            for metric in goal.metric_signatures
        }
        return experiment_data


def _encoded(
    source: Evaluations, metric: str, weight: float, adapter: Adapter
) -> tuple[list[TParameterization], Tensor] | None:
    """What a source tells of one metric, encoded: two points or more."""
    signs = {metric: math.copysign(1.0, weight)}
    points, outcomes = _read(source, adapter._experiment.search_space, signs)
    features = [ObservationFeatures(point) for point in points.values()]
    for transform in adapter.transforms.values():
        features = transform.transform_observation_features(features)
    found = [feature.parameters for feature in features]
    Y = torch.tensor(outcomes.loc[[*points], [metric]].to_numpy(float))
    return (found, Y) if any(point != found[0] for point in found) else None


def _read(
    source: Evaluations, space: SearchSpace, signs: Mapping[str, float]
) -> tuple[dict[int, TParameterization], pd.DataFrame]:
    """The points of a source, and its outcomes, where all metrics were measured.

    Args:
        source: The evaluations.
        space: The search space.
        signs: Of each metric, 1 where larger values are better, or -1.

    Returns:
        Points by row in the types of the parameters, without what is empty; a row is left out if
        the model has no place for it, as for a choice that there is no more. And the rows that have
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
    deciding = [parameter for parameter in parameters.values() if parameter.is_hierarchical]
    may_lack = {name for one in deciding for names in one.dependents.values() for name in names}
    for name, parameter in parameters.items():
        if name not in may_lack and (gaps := table[name].isna()).any():
            raise UserInputError(
                f"Row {gaps.idxmax()} of a source has no {name!r}. Fill it in, or leave the row "
                "out."
            )
        if parameter.is_numeric:
            _check_numbers(table, name)
    points = {}
    for row, said in table[[*parameters]].to_dict("index").items():
        point = {name: _cast(v, parameters[name]) for name, v in said.items() if pd.notna(v)}
        if all(_has_place(value, parameters[name]) for name, value in point.items()):
            points[row] = point
    return points, table


def _check_numbers(table: pd.DataFrame, name: str, allowed: float = 0.0) -> None:
    """Refuse a column that holds what is no finite number, but for an infinity that may be there.

    Raises:
        UserInputError: If it is so.
    """
    for row, said in table[name].dropna().items():
        if not isinstance(said, Real) or not (math.isfinite(said) or said == allowed):
            raise UserInputError(
                f"Row {row} of a source: {name!r} is {said!r}, which is no finite number. Correct "
                "it, or leave the row out."
            )


def _has_place(value: Any, parameter: Parameter) -> bool:
    """Whether there is something to learn from a value; Ax passes over trials with others."""
    if isinstance(parameter, ChoiceParameter):
        return value in parameter.values or (parameter.is_ordered and parameter.is_numeric)
    return not (isinstance(parameter, RangeParameter) and parameter.log_scale and value <= 0)


def _cast(said: Any, parameter: Parameter) -> Any:
    """A value in its parameter's type, such as 2 for 2.0, if nothing is lost."""
    try:
        value = parameter.cast(said)
    except (TypeError, ValueError, OverflowError):
        return said
    return value if value == said else said


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): None if said is pd.NA else plain(said) for name, said in row.items()}
