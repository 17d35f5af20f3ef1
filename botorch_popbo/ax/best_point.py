"""The point to recommend at the end of an experiment."""

import math
from collections.abc import Mapping, Set
from typing import NamedTuple, cast

from ax.adapter.base import Adapter
from ax.adapter.torch import TorchAdapter
from ax.api.client import Client
from ax.api.types import TOutcome, TParameterization
from ax.core.experiment import Experiment
from ax.exceptions.core import DataRequiredError, UnsupportedError
from ax.service.utils.best_point import get_best_raw_objective_point_with_trial_index


class BestPoint(NamedTuple):
    """What :meth:`ax.api.client.Client.get_best_parameterization` returns, by name.

    Attributes:
        parameters: The point.
        outcome: Mean and standard error of each metric of the goal, predicted or observed.
        trial_index: The first trial that evaluated it.
        arm_name: Name of its arm.
    """

    parameters: TParameterization
    outcome: TOutcome
    trial_index: int
    arm_name: str


def best_point(client: Client, use_model: bool = True) -> BestPoint:
    """The evaluated point to recommend; outcomes may be NaN, missing or failures.

    The best outcome may be an outlier. The model's choice is the best one that it believes, given
    what was measured around; see :meth:`botorch_popbo.RankingGP.recommended_among`.
    Constraints have to be satisfied as measured, and the point has to be in the search space.

    Args:
        client: A client with a goal of one objective.
        use_model: Whether the strategy's model decides, as soon as it has one; otherwise the best
            outcome observed.

    Returns:
        The point, what is known of it, and its trial.

    Raises:
        UnsupportedError: If there is no objective or there are several.
        DataRequiredError: If no complete trial in the search space satisfies the constraints.
    """
    experiment = client._experiment
    goal = experiment.optimization_config
    if goal is None or goal.is_moo_problem:
        raise UnsupportedError(
            "A best point needs a single objective; set one with client.configure_optimization. "
            "For several objectives, use client.get_pareto_frontier()."
        )
    df = experiment.lookup_data().df
    df = df[df["metric_name"].isin(goal.metric_names)]
    adapter = fit_model(client) if use_model else None
    found = adapter.model_best_point() if isinstance(adapter, TorchAdapter) else None
    if found is not None:
        is_success = df["mean"].notna() & df["metric_name"].isin(goal.objective.metric_names)
        trials = set(df.loc[is_success, "trial_index"])
        point, index, name = _first_trial(experiment, trials, found[0].parameters)
        [predicted] = client.predict([point])
        plain = {metric: (float(mean), float(sem)) for metric, (mean, sem) in predicted.items()}
        return BestPoint(point, plain, index, name)
    trials = set(df["trial_index"]) - set(df.loc[~df["mean"].abs().lt(math.inf), "trial_index"])
    try:
        _, best, (means, covariances) = get_best_raw_objective_point_with_trial_index(
            experiment, trial_indices=trials
        )
    except ValueError as error:
        raise DataRequiredError("No feasible trial in the search space has succeeded.") from error
    observed = {n: (mean, math.sqrt((covariances or {})[n][n])) for n, mean in means.items()}
    point, index, name = _first_trial(experiment, trials, best)
    return BestPoint(point, observed, index, name)


def fit_model(client: Client) -> Adapter | None:
    """Fit the model of a client's generation strategy to all data, if it is the model's turn.

    After this ``client.predict`` knows the latest data, and works right after a client was loaded:
    Ax stores the experiment but no model.

    Args:
        client: A client; without a generation strategy there is nothing to fit.

    Returns:
        What Ax predicts with, if anything.
    """
    strategy, experiment = client._maybe_generation_strategy, client._experiment
    if strategy is None or experiment.lookup_data().df.empty:
        return None
    return strategy.fit(experiment=experiment)


def _first_trial(
    experiment: Experiment, successes: Set[int], point: Mapping[str, object]
) -> tuple[TParameterization, int, str]:
    """A point as it was tried, the first trial of it that succeeded, and the name of its arm."""
    late = experiment.search_space.backfill_values()  # of parameters that were added since
    late = {name: value for name, value in late.items() if name in point}
    for index in sorted(successes):
        trial = experiment.trials[index]
        for arm in () if trial.status.is_failed or trial.status.is_abandoned else trial.arms:
            if _is_same({**late, **arm.parameters}, point):
                return cast(TParameterization, arm.parameters), index, arm.name
    raise DataRequiredError("The model's best point belongs to no trial of this experiment.")


def _is_same(point: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two points are one but for what a logarithm and back has rounded."""
    return point.keys() == other.keys() and all(
        math.isclose(value, end, rel_tol=1e-12)
        if isinstance(value, float) and isinstance(end, float)
        else value == end
        for value, end in ((value, other[name]) for name, value in point.items())
    )
