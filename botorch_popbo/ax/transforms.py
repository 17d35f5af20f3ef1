"""Our Ax transforms: failures, ordered choices, and what Ax does not tell a surrogate."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import pandas as pd
import torch
from ax.adapter.base import Adapter
from ax.adapter.data_utils import ExperimentData
from ax.adapter.transforms.base import Transform
from ax.adapter.transforms.choice_encode import OrderedChoiceToIntegerRange
from ax.core.arm import Arm
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.core.optimization_config import OptimizationConfig
from ax.core.outcome_constraint import ScalarizedOutcomeConstraint
from ax.core.parameter import ChoiceParameter
from ax.core.search_space import SearchSpace
from ax.core.types import TParameterization, TParamValue
from ax.exceptions.core import DataRequiredError, UserInputError
from ax.exceptions.model import ModelError
from botorch.exceptions import InputDataError
from numpy import interp, rint
from torch import Tensor

from botorch_popbo._plain import Value
from botorch_popbo.ax.early_stopping import with_foreseen
from botorch_popbo.ax.sources import Evaluations, read_source
from botorch_popbo.ax.surrogate import RankSurrogate

#: The index of a trial, and the name of an arm.
Key = tuple[int, str]


class FailedTrialsLast(Transform):
    """Give failed trials an infinitely bad value of every objective, stopped ones a foreseen one.

    Ax forgets a failed trial: its point is neither observed nor pending, so a model without noise
    suggests it again for ever. Ranked below every success, it is learned from and avoided. A trial
    that is completed, stopped early or running has failed too if one of the metrics that decide is
    NaN, or infinite in a constraint; and one that was stopped early before it reported an
    objective. If the same arm succeeded at another time, the failure does not count. This comes
    first, so that the points it adds pass through every other transform.
    """

    def transform_experiment_data(self, experiment_data: ExperimentData) -> ExperimentData:
        """Add the arms of failed trials, with the worst outcome of each objective."""
        adapter, data = self.adapter, experiment_data.observation_data
        if adapter is None or (goal := adapter._optimization_config) is None:
            return experiment_data
        if data.empty:
            raise DataRequiredError(
                "There are no data to learn from, but it is the model's turn. Begin a strategy "
                "with initial_node, and make a new one for every client: a used one "
                "continues where it left off."
            )
        _check_numbers(data, goal)
        data = with_foreseen(data, adapter._experiment, goal)
        experiment_data = ExperimentData(experiment_data.arm_data, data)
        if not (failed := _failed_arms(adapter._experiment, goal)):
            return experiment_data
        # Where outcomes have a progression, it is the third level of the index.
        steps = [0.0] * (data.index.nlevels - 2)
        keys = [(*key, *steps) for key in failed]
        index = pd.MultiIndex.from_tuples(keys, names=data.index.names)
        rows = pd.DataFrame(math.nan, index=index, columns=data.columns)
        for signature, weight in goal.objective.metric_weights:
            rows["mean", signature] = -math.copysign(math.inf, weight)
        data = data[[key[:2] not in failed for key in data.index]]
        # A failure does not count beside another trial of the arm that has all that is optimized.
        wanted = [("mean", signature) for signature in goal.objective.metric_signatures]
        succeeded = data[data.reindex(columns=wanted).notna().all(axis=1)]
        is_final = ~rows.index.isin(succeeded.index.get_level_values("arm_name"), "arm_name")
        arms = _with_arms(experiment_data.arm_data, failed, adapter._experiment.search_space)
        return ExperimentData(arms, pd.concat([data, rows[is_final]]).sort_index())


def _check_numbers(data: pd.DataFrame, goal: OptimizationConfig) -> None:
    """Refuse what would be better than everything, and standard errors that are none."""
    weights = dict(goal.objective.metric_weights)
    for metric in goal.metric_signatures & set(data["mean"]):
        best = math.copysign(math.inf, weights[metric]) if metric in weights else math.nan
        outcomes = zip(data.index, data["mean", metric], data["sem", metric], strict=True)
        for (trial, *_), mean, sem in outcomes:
            if mean == best:
                raise InputDataError(
                    f"Trial {trial} reports {metric}={best}, which would be better than everything."
                    f" If it failed, take it back: client.attach_data({trial}, {{{metric!r}: "
                    "float('nan')})."
                )
            if sem < 0.0 or (metric in weights and sem == math.inf):
                kind = "a negative" if sem < 0.0 else "an infinite"
                raise InputDataError(
                    f"Trial {trial} reports {metric} with {kind} standard error. Report the mean "
                    f"alone if it is not known: client.attach_data({trial}, {{{metric!r}: mean}})."
                )


def _failed_arms(experiment: Experiment, goal: OptimizationConfig) -> dict[Key, Arm]:
    """The arms of failed trials and of those without a number, by their index."""
    df = experiment.lookup_data().df
    decides = df["metric_signature"].isin(goal.metric_signatures)
    is_objective = df["metric_signature"].isin(goal.objective.metric_signatures)
    is_bad = df["mean"].isna() | (~is_objective & df["mean"].abs().eq(math.inf))
    keys = pd.MultiIndex.from_frame(df[["trial_index", "arm_name"]])
    without_number, with_objective = set(keys[decides & is_bad]), set(keys[is_objective])
    return {
        key: arm
        for trial in experiment.trials.values()
        for key, arm in (((trial.index, arm.name), arm) for arm in trial.arms)
        if trial.status.is_failed
        or (not trial.status.is_abandoned and key in without_number)
        or (trial.status.is_early_stopped and key not in with_objective)
    }


def _with_arms(table: pd.DataFrame, arms: Mapping[Key, Arm], space: SearchSpace) -> pd.DataFrame:
    """A table of the points of arms, with those of some arms that are not there yet."""
    points = {
        # With any values of the parameters that have no meaning beside its own.
        key: space.flatten_observation_features(
            ObservationFeatures.from_arm(arm),
            inject_dummy_values_to_complete_flat_parameterization=True,
        ).parameters
        for key, arm in arms.items()
        if key not in table.index
    }
    if not points:
        return table
    index = pd.MultiIndex.from_tuples(points, names=table.index.names)
    places = pd.DataFrame([{**p, "metadata": {}} for p in points.values()], index=index)
    return pd.concat([table, places]).sort_index()


class OrderedLeafToIntegerRange(OrderedChoiceToIntegerRange):
    """Turn ordered choices into whole numbers, unless other parameters depend on them.

    Ax refuses the latter, because a range of integers has no dependents. Numbers of trials that are
    none of the choices lie between them, where Ax would count them as further choices.
    """

    def __init__(
        self, search_space: SearchSpace, *, adapter: Adapter | None = None, **others: Any
    ) -> None:
        # An adapter adds the values of all trials to the space that it passes on.
        space = search_space if adapter is None else adapter._experiment.search_space
        leaves = SearchSpace([p for p in space.parameters.values() if not p.is_hierarchical])
        super().__init__(leaves, adapter=adapter, **others)
        for name, encoding in self.encoded_parameters.items():
            self.encoded_parameters[name] = Places(name, encoding)

    def transform_search_space(self, search_space: SearchSpace) -> SearchSpace:
        """See :class:`ax.adapter.transforms.base.Transform`."""
        for name, places in self.encoded_parameters.items():
            parameter = search_space.parameters.get(name)
            if isinstance(parameter, ChoiceParameter):
                parameter.set_values([value for value in parameter.values if value in places])
        return super().transform_search_space(search_space)


class Places(dict[TParamValue, int]):
    """The number of each choice, and a place for every other number.

    Args:
        name: Name of the parameter.
        encoding: The number of each choice.
    """

    def __init__(self, name: str, encoding: Mapping[TParamValue, int]) -> None:
        super().__init__(encoding)
        self.name = name

    def __missing__(self, value: Value) -> float:
        try:
            # Beyond the ends is one step away.
            known: list[Value] = [*self]
            place = float(interp(value, known, [*self.values()], -1, len(self)))
        except (TypeError, ValueError):
            raise UserInputError(
                f"{self.name!r} is {value!r} in a trial, which is not one of {list(self)}."
            ) from None
        # The choices of a range with steps are sums of them, with an error of rounding.
        nearest = float(rint(place))
        return nearest if abs(place - nearest) < 1e-9 else place


class TellSurrogate(Transform):
    """Tell the surrogate which metrics are minimized, and what earlier experiments say.

    Ax hands the signs of the objectives to the acquisition function only, after the surrogate was
    fitted. Ranks must know them before. Earlier experiments are encoded as the trials are, so this
    is the last of the transforms: it asks all others. Its configuration holds ``"sources"``, the
    evaluations of each earlier experiment, if there are any.
    """

    def transform_experiment_data(self, experiment_data: ExperimentData) -> ExperimentData:
        """Leave the data as they are, beside which the surrogate learns the rest.

        Raises:
            UserInputError: If the objective was changed after the strategy's model was built, if a
                constraint is on a sum of metrics, or if the surrogate is not ours.
        """
        adapter = self.adapter
        if adapter is None or (goal := adapter._optimization_config) is None:
            return experiment_data
        _check_goal(goal, adapter._experiment)
        surrogate: object = None
        with suppress(ModelError):  # there is none yet where a surrogate_spec was given
            surrogate = getattr(adapter.generator, "surrogate", None)
        if not isinstance(surrogate, RankSurrogate):
            raise UserInputError(
                "RANK_TRANSFORMS need surrogate=RankSurrogate(...) in the generator_kwargs."
            )
        weights = dict(goal.objective.metric_weights)
        surrogate.minimized = frozenset(metric for metric, weight in weights.items() if weight < 0)
        sources = cast(Sequence[Evaluations], self.config.get("sources", ()))
        surrogate.sources = {}
        for metric in goal.metric_signatures:
            weight = weights.get(metric, 1.0)
            encoded = (_encoded(source, metric, weight, adapter) for source in sources)
            surrogate.sources[metric] = [*filter(None, encoded)]
        return experiment_data


def _check_goal(goal: OptimizationConfig, experiment: Experiment) -> None:
    if goal != experiment.optimization_config:
        raise UserInputError(
            "The objective was changed after the model of this generation strategy was built. "
            "Set a new strategy, for example with client.set_generation_strategy("
            "popbo_generation_strategy(...)): it continues with all trials."
        )
    for constraint in goal.outcome_constraints:
        # Ax's own model would take it for one on the first of them.
        scalarized = isinstance(constraint, ScalarizedOutcomeConstraint)
        if len(constraint.metric_names) > 1 and not scalarized:
            raise UserInputError(
                f"A constraint on several metrics is not supported: {constraint}. Report what "
                "it limits as a metric of its own."
            )


def _encoded(
    source: Evaluations, metric: str, weight: float, adapter: Adapter
) -> tuple[list[TParameterization], Tensor] | None:
    """What a source says of one metric, encoded: two points or more."""
    signs = {metric: math.copysign(1.0, weight)}
    points, outcomes = read_source(source, adapter._experiment.search_space, signs)
    features = [ObservationFeatures(point) for point in points.values()]
    for transform in adapter.transforms.values():
        features = transform.transform_observation_features(features)
    encoded = [feature.parameters for feature in features]
    Y = torch.tensor(outcomes.loc[[*points], [metric]].to_numpy(float))
    return (encoded, Y) if any(point != encoded[0] for point in encoded) else None
