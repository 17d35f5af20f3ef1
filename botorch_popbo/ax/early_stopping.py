"""Early stopping of trials that report progressions, and what they would have been."""

import math
from collections.abc import Hashable, Mapping

import pandas as pd
from ax.core.data import MAP_KEY
from ax.core.experiment import Experiment
from ax.core.optimization_config import OptimizationConfig
from ax.core.trial_status import TrialStatus
from ax.early_stopping.strategies.base import BaseEarlyStoppingStrategy
from ax.generation_strategy.generation_node import GenerationNode

from botorch_popbo._parts import Outcome, Parts, Rivals


class RankEarlyStopping(BaseEarlyStoppingStrategy):
    """Stop a trial whose progressions leave it too small a chance to be better than the best.

    A completed trial shows how much the progressions after another one's last add. A trial
    continues where its chance to be better than all completed ones, of several objectives to be on
    their front, is at least a quarter, or what new trials have lately had for the same number of
    progressions. Two trials complete before the first is stopped. The rank-based strategies learn
    what a stopped trial would have been, and how uncertain that is.

    Report a metric after each part with ``client.attach_data(index, {"loss": value},
    progression=epoch)``; of folds report the mean so far.

    Example:
        >>> client.set_early_stopping_strategy(RankEarlyStopping())
    """

    def __init__(self) -> None:
        super().__init__()

    def _should_stop_trials_early(
        self,
        trial_indices: set[int],
        experiment: Experiment,
        current_node: GenerationNode | None = None,
    ) -> dict[int, str | None]:
        """See the base class."""
        goal = experiment.optimization_config
        parts = {} if goal is None else parts_of(experiment, goal)
        rivals, reason = rivals_of(experiment, parts), "its chance to be the best is too small"
        asked = sorted(trial_indices & parts.keys())
        return {index: reason for index in asked if rivals.worth(parts[index]) < 1.0}

    def _is_harmful(self, trial_indices: set[int], experiment: Experiment) -> bool:
        """See the base class."""
        return False


def parts_of(experiment: Experiment, goal: OptimizationConfig) -> Mapping[int, Parts]:
    """The progressions of each trial that has all objectives, larger being better."""
    data = experiment.lookup_data()
    if not data.has_step_column:
        return {}
    weights = dict(goal.objective.metric_weights)
    rows = data.full_df[data.full_df["metric_signature"].isin(weights)]
    table = rows.pivot_table(
        index=["trial_index", MAP_KEY], columns="metric_signature", values="mean"
    )
    if not weights.keys() <= {*table.columns}:
        return {}
    signs = [math.copysign(1.0, weight) for weight in weights.values()]
    found: dict[int, dict[Hashable, Outcome]] = {}
    for (index, step), values in (table[[*weights]] * signs).iterrows():
        if values.notna().all() and values.abs().lt(math.inf).all():
            found.setdefault(index, {})[step] = values.tolist()
    return found


def rivals_of(experiment: Experiment, parts: Mapping[int, Parts]) -> Rivals:
    """The completed ones among the trials with progressions."""
    evaluations = [
        (parts[t.index], [*parts[t.index].values()][-1] if t.status.is_completed else None)
        for t in experiment.trials.values()
        if t.index in parts and t.status.is_terminal
    ]
    return Rivals.among("last", evaluations)


def with_foreseen(
    data: pd.DataFrame, experiment: Experiment, goal: OptimizationConfig
) -> pd.DataFrame:
    """Observations in which a trial that was stopped early is what it would have been.

    Args:
        data: Observations of an adapter, by trial and arm.
        experiment: The experiment.
        goal: What is optimized.

    Returns:
        The same, with means and standard errors of objectives replaced. Where one is, those of
        others that are unknown become zero: noise is for the model to infer.
    """
    stopped = experiment.trial_indices_by_status[TrialStatus.EARLY_STOPPED]
    if not stopped:
        return data
    parts = parts_of(experiment, goal)
    rivals = rivals_of(experiment, parts)
    foreseen = {index: rivals.foresee(parts[index]) for index in sorted(stopped & parts.keys())}
    foreseen = {index: one for index, one in foreseen.items() if math.inf not in one.variances}
    data, trial = data.copy(), data.index.get_level_values(0)
    for place, (name, weight) in enumerate(goal.objective.metric_weights if foreseen else []):
        data["sem", name] = data["sem", name].fillna(0.0)
        for index, (values, variances, _) in foreseen.items():
            data.loc[trial == index, ("mean", name)] = math.copysign(1.0, weight) * values[place]
            data.loc[trial == index, ("sem", name)] = math.sqrt(variances[place])
    return data
