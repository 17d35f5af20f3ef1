"""The Ax transform that learns from trials that went wrong."""

import math
from collections.abc import Iterable

import pandas as pd
from ax.adapter.data_utils import ExperimentData
from ax.adapter.transforms.base import Transform
from ax.core.arm import Arm
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.core.optimization_config import OptimizationConfig
from ax.exceptions.core import DataRequiredError
from botorch.exceptions import InputDataError


class FailedTrialsLast(Transform):
    """Give failed trials an infinitely bad value of every objective.

    Ax forgets a failed trial: its point is neither observed nor pending, so a model without noise
    suggests it again for ever. Ranked below every success, it is learned from and avoided. A trial
    that is completed, stopped early or running has failed too if one of the metrics that decide is
    NaN, or infinite in a constraint; and one that was stopped early before it reported an
    objective. If the same arm succeeded at another time, the failure does not count. This comes
    first, so that the points it adds pass through every other transform.
    """

    def transform_experiment_data(self, experiment_data: ExperimentData) -> ExperimentData:
        """Add the arms of failed trials, with the worst outcome of each objective."""
        adapter = self.adapter
        data = experiment_data.observation_data
        if adapter is None or adapter._optimization_config is None:
            return experiment_data
        if data.empty:
            raise DataRequiredError(
                "There are no data to learn from, but it is the model's turn. Begin a strategy "
                "with initial_node, and make one for every client: a strategy goes on where it is."
            )
        goal = adapter._optimization_config
        _check_numbers(data, goal)
        failed = _failed_arms(adapter._experiment, goal)
        if not failed:
            return experiment_data
        # Where outcomes have a progression, it is the third level of the index.
        steps = [0.0] * (data.index.nlevels - 2)
        index = pd.MultiIndex.from_tuples(
            [(*key, *steps) for key in failed], names=data.index.names
        )
        rows = pd.DataFrame(math.nan, index=index, columns=data.columns)
        for signature, weight in goal.objective.metric_weights:
            rows["mean", signature] = -math.copysign(math.inf, weight)
        data = data[[key[:2] not in failed for key in data.index]]
        data = pd.concat([data, rows[_are_final(failed, data, goal)]]).sort_index()
        arm_data = experiment_data.arm_data
        added = [key for key in failed if key not in arm_data.index]
        if added:
            points = [
                # With any values of the parameters that have no meaning beside its own.
                adapter._experiment.search_space.flatten_observation_features(
                    ObservationFeatures.from_arm(failed[key]),
                    inject_dummy_values_to_complete_flat_parameterization=True,
                ).parameters
                for key in added
            ]
            index = pd.MultiIndex.from_tuples(added, names=arm_data.index.names)
            places = pd.DataFrame([{**point, "metadata": {}} for point in points], index=index)
            arm_data = pd.concat([arm_data, places]).sort_index()
        return ExperimentData(arm_data=arm_data, observation_data=data)


def _check_numbers(data: pd.DataFrame, goal: OptimizationConfig) -> None:
    weights = dict(goal.objective.metric_weights)
    for metric in goal.metric_signatures:
        if ("mean", metric) not in data:
            continue
        best = math.copysign(math.inf, weights[metric]) if metric in weights else math.nan
        told = zip(data.index, data["mean", metric], data["sem", metric], strict=True)
        for (trial, *_), mean, sem in told:
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


def _are_final(
    failed: Iterable[tuple[int, str]], data: pd.DataFrame, goal: OptimizationConfig
) -> list[bool]:
    """Of each failure, whether no other trial of the same arm has all that is optimized."""
    wanted = [("mean", signature) for signature in goal.objective.metric_signatures]
    is_told = data.reindex(columns=wanted).notna().all(axis=1)
    succeeded = set(data.index[is_told].get_level_values("arm_name"))
    return [arm not in succeeded for _, arm in failed]


def _failed_arms(experiment: Experiment, goal: OptimizationConfig) -> dict[tuple[int, str], Arm]:
    """The arms of failed trials and of those without a number, by their index."""
    measured = experiment.lookup_data().df
    decides = measured["metric_signature"].isin(goal.metric_signatures)
    is_objective = measured["metric_signature"].isin(goal.objective.metric_signatures)
    is_bad = measured["mean"].isna() | (~is_objective & measured["mean"].abs().eq(math.inf))
    rows = measured[["trial_index", "arm_name"]]
    without_number = set(rows[decides & is_bad].itertuples(index=False, name=None))
    with_objective = set(rows[is_objective].itertuples(index=False, name=None))
    return {
        (trial.index, arm.name): arm
        for trial in experiment.trials.values()
        for arm in trial.arms
        if trial.status.is_failed
        or (not trial.status.is_abandoned and (trial.index, arm.name) in without_number)
        or (trial.status.is_early_stopped and (trial.index, arm.name) not in with_objective)
    }
