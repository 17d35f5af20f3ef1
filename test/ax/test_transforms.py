import pytest
from ax.core.objective import Objective
from ax.core.optimization_config import OptimizationConfig
from helpers.service_loop import floats, popbo_client, run_trials


@pytest.mark.parametrize("objective", ["-loss", "loss"])
def test_a_suggestion_for_another_direction_goes_there(objective: str) -> None:
    client = popbo_client(floats(1), 4, objective)
    run_trials(client, lambda p: p["x0"], 5)
    adapter = client._generation_strategy.adapter
    assert adapter is not None
    for said, end in (("loss", 1.0), ("-loss", 0.0)):
        objectives = Objective(expression=said, metric_name_to_signature={"loss": "loss"})
        goal = OptimizationConfig(objective=objectives)
        [arm] = adapter.gen(1, optimization_config=goal).arms
        assert abs(arm.parameters["x0"] - end) < 0.4
