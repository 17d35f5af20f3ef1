"""The point to recommend at the end of an experiment."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ax.adapter.torch import TorchAdapter
from ax.api.client import Client
from ax.api.types import TOutcome, TParameterization
from ax.core.experiment import Experiment
from ax.core.optimization_config import OptimizationConfig
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

    With noise the best outcome belongs to a lucky trial. The model's choice is the point whose
    neighbours vouch for it; see :meth:`botorch_popbo.RankingGP.incumbent_among`.
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
            "A best point needs a goal of one objective, which client.configure_optimization "
            "takes; of several there is a front: client.get_pareto_frontier()."
        )
    strategy = client._maybe_generation_strategy
    if use_model and strategy is not None:
        fit_model(client)
        adapter = strategy.adapter
        found = adapter.model_best_point() if isinstance(adapter, TorchAdapter) else None
        if found is not None:
            point, index, name = _first_trial(experiment, goal, found[0].parameters)
            return BestPoint(point, client.predict([point])[0], index, name)
    return _best_observed(experiment, goal)


def fit_model(client: Client) -> None:
    """Fit the model of a client's generation strategy to all data, if it is the model's turn.

    After this ``client.predict`` knows the latest data, and works right after a client was loaded:
    Ax stores the experiment but no model.

    Args:
        client: A client; without a generation strategy there is nothing to fit.
    """
    strategy, experiment = client._maybe_generation_strategy, client._experiment
    if strategy is not None and not experiment.lookup_data().df.empty:
        strategy.fit(experiment=experiment)


def _best_observed(experiment: Experiment, goal: OptimizationConfig) -> BestPoint:
    data = experiment.lookup_data().df
    data = data[data["metric_name"].isin(goal.metric_names)]
    bad = data.loc[~data["mean"].abs().lt(math.inf), "trial_index"]
    try:
        _, point, outcome = get_best_raw_objective_point_with_trial_index(
            experiment, trial_indices=set(data["trial_index"]) - set(bad)
        )
    except ValueError as error:
        raise DataRequiredError("No feasible trial in the search space has succeeded.") from error
    means, covariances = outcome
    observed = {
        name: (mean, math.sqrt((covariances or {})[name][name])) for name, mean in means.items()
    }
    parameters, index, name = _first_trial(experiment, goal, point)
    return BestPoint(parameters, observed, index, name)


def _first_trial(
    experiment: Experiment, goal: OptimizationConfig, point: Mapping[str, Any]
) -> tuple[TParameterization, int, str]:
    """A point as it was tried, the first trial of it that succeeded, and the name of its arm."""
    data = experiment.lookup_data().df
    is_told = data["mean"].notna() & data["metric_name"].isin(goal.objective.metric_names)
    told = set(data.loc[is_told, "trial_index"])
    late = experiment.search_space.backfill_values()  # of parameters that were added since
    late = {name: value for name, value in late.items() if name in point}
    for index, trial in experiment.trials.items():
        is_success = index in told and not (trial.status.is_failed or trial.status.is_abandoned)
        for arm in trial.arms if is_success else ():
            if _is_same({**late, **arm.parameters}, point):
                return cast(TParameterization, arm.parameters), index, arm.name
    raise DataRequiredError("The model's best point belongs to no trial of this experiment.")


def _is_same(point: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two points are one but for what a logarithm and back has rounded."""
    return point.keys() == other.keys() and all(
        math.isclose(value, other[name], rel_tol=1e-12)
        if isinstance(value, float)
        else value == other[name]
        for name, value in point.items()
    )
