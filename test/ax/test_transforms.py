from copy import deepcopy

import numpy as np
import pytest
from ax.api.client import Client
from ax.core.objective import Objective
from ax.core.observation import ObservationData
from ax.core.optimization_config import OptimizationConfig
from ax.core.types import ComparisonOp
from helpers.service_loop import floats, make_client, run_trials, sphere

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.transforms import MaximizeObjective


def fitted_transform(objective: str) -> MaximizeObjective:
    client = make_client(popbo_generation_strategy("eri", 3), floats(2), objective)
    run_trials(client, sphere, 4, metric=objective.lstrip("-"))
    adapter = client._generation_strategy._curr.generator_spec_to_gen_from.fitted_adapter
    return adapter.transforms["MaximizeObjective"]


@pytest.mark.parametrize(("objective", "sign"), [("-loss", -1.0), ("gain", 1.0)])
def test_only_a_minimized_metric_is_negated_and_back(objective: str, sign: float) -> None:
    transform = fitted_transform(objective)
    data = ObservationData(
        metric_signatures=[objective.lstrip("-"), "other"],
        means=np.array([2.0, 5.0]),
        covariance=np.array([[4.0, 1.0], [1.0, 9.0]]),
    )
    [there] = transform._transform_observation_data([deepcopy(data)])
    np.testing.assert_array_equal(there.means, [2.0 * sign, 5.0])
    np.testing.assert_array_equal(there.covariance, [[4.0, sign], [sign, 9.0]])
    [back] = transform._untransform_observation_data([there])
    np.testing.assert_array_equal(back.means, data.means)
    np.testing.assert_array_equal(back.covariance, data.covariance)


def test_weights_and_thresholds_of_minimized_metrics_are_mirrored() -> None:
    client = Client()
    client.configure_experiment(parameters=floats(2))
    client.configure_optimization(
        objective="-2*loss, gain", outcome_constraints=["loss <= 5", "gain >= 1", "cost <= 3"]
    )
    client.set_generation_strategy(popbo_generation_strategy("eri", 2))
    for _ in range(3):
        [index] = client.get_next_trials(max_trials=1)
        client.complete_trial(index, {"loss": float(index), "gain": 1.0 * index, "cost": 1.0})
    adapter = client._generation_strategy._curr.generator_spec_to_gen_from.fitted_adapter
    transform = adapter.transforms["MaximizeObjective"]
    goal = transform.transform_optimization_config(adapter._optimization_config.clone())
    assert goal.objective.metric_weights == [("loss", 2.0), ("gain", 1.0)]
    assert goal.objective.is_multi_objective
    bounds = {t.metric_names[0]: (t.op, t.bound) for t in goal.objective_thresholds}
    assert bounds == {"loss": (ComparisonOp.GEQ, -5.0), "gain": (ComparisonOp.GEQ, 1.0)}
    [constraint] = goal.outcome_constraints
    assert (constraint.op, constraint.bound) == (ComparisonOp.LEQ, 3.0)
    back = transform.untransform_outcome_constraints(goal.objective_thresholds)
    bounds = {t.metric_names[0]: (t.op, t.bound) for t in back}
    assert bounds == {"loss": (ComparisonOp.LEQ, 5.0), "gain": (ComparisonOp.GEQ, 1.0)}


@pytest.mark.parametrize("objective", ["-loss", "loss"])
def test_a_suggestion_for_another_direction_goes_there(objective: str) -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=4), floats(1), objective)
    run_trials(client, lambda p: p["x0"], 8)
    adapter = client._generation_strategy.adapter
    assert adapter is not None
    for said, end in (("loss", 1.0), ("-loss", 0.0)):
        objectives = Objective(expression=said, metric_name_to_signature={"loss": "loss"})
        goal = OptimizationConfig(objective=objectives)
        [arm] = adapter.gen(1, optimization_config=goal).arms
        assert abs(arm.parameters["x0"] - end) < 0.4
