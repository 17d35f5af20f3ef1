from copy import deepcopy

import numpy as np
import pytest
from ax.core.observation import ObservationData
from ax.exceptions.core import UserInputError
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


def test_outcome_constraints_are_refused_with_advice() -> None:
    client = make_client(popbo_generation_strategy("eri", 2), floats(2), "-loss")
    client.configure_optimization(objective="-loss", outcome_constraints=["cost <= 1.0"])
    for _ in range(2):
        [index] = client.get_next_trials(max_trials=1)
        client.complete_trial(index, raw_data={"loss": float(index), "cost": 0.5})
    with pytest.raises(UserInputError, match="infinitely bad"):
        client.get_next_trials(max_trials=1)
