import math
from collections.abc import Sequence

import pytest
from ax.core.parameter import ParameterType, RangeParameter
from ax.exceptions.core import DataRequiredError, UnsupportedError
from helpers.search_spaces import ranged
from helpers.service_loop import (
    Parameterization,
    floats,
    make_client,
    popbo_client,
    run_trials,
    sphere,
)

from botorch_popbo.ax import best_point, gp_generation_strategy, popbo_generation_strategy

STRATEGIES = {
    "popbo": lambda: popbo_generation_strategy(num_initial_trials=5),
    "paper": lambda: popbo_generation_strategy(num_initial_trials=5, preset="paper"),
    "gp": lambda: gp_generation_strategy("qlognei", num_initial_trials=5),
}
EACH = pytest.mark.parametrize("make", STRATEGIES.values(), ids=STRATEGIES)


def smallest(points: Sequence[Parameterization]) -> Parameterization:
    return min(points, key=sphere)


@EACH
def test_trials_without_a_number_do_not_matter(make: type) -> None:
    client = make_client(make(), floats(2), "-loss")
    points = run_trials(client, sphere, 5)
    run_trials(client, lambda p: math.nan, 1)
    [(index, _)] = client.get_next_trials(1).items()
    client.mark_trial_failed(index)
    [(index, _)] = client.get_next_trials(1).items()
    client.complete_trial(index)
    client.get_next_trials(1)
    for use_model in (True, False):
        found = best_point(client, use_model)
        assert found.parameters in points
        assert client._experiment.trials[found.trial_index].arm.name == found.arm_name
        assert client._experiment.trials[found.trial_index].arm.parameters == found.parameters
        assert all(map(math.isfinite, found.outcome["loss"])) == use_model
        assert {*map(type, found.outcome["loss"])} == {float}
    assert found.parameters == smallest(points)
    assert found.outcome["loss"][0] == sphere(smallest(points))


def test_the_model_does_not_fall_for_a_lucky_trial() -> None:
    client = popbo_client(floats(2), 15)
    points = run_trials(client, sphere, 15)
    worst = max(points, key=sphere)
    client.attach_data(points.index(worst), {"loss": -1000.0})
    run_trials(client, sphere, 2)
    assert best_point(client, use_model=False).parameters == worst
    assert sphere(best_point(client).parameters) < 0.5 * sphere(worst)


@pytest.mark.parametrize("use_model", [True, False])
def test_constraints_and_the_space_are_respected(use_model: bool) -> None:
    client = popbo_client(floats(2), 5, outcome_constraints=["cost <= -0.5"])
    client.complete_trial(client.attach_trial({"x0": 1.2, "x1": 0.3}), {"loss": -9.0, "cost": -1.0})
    run_trials(client, lambda p: {"loss": sphere(p), "cost": -p["x0"]}, 7)
    found = best_point(client, use_model).parameters
    assert 0.5 <= float(found["x0"] or 0.0) <= 1.0


def test_before_there_is_a_model_the_best_outcome_counts() -> None:
    client = popbo_client(floats(2), 5)
    client.complete_trial(client.attach_trial({"x0": 0.5, "x1": 0.5}), {"loss": math.nan})
    with pytest.raises(DataRequiredError, match="No feasible trial in the search space"):
        best_point(client)
    points = run_trials(client, sphere, 3)
    assert best_point(client).parameters == smallest(points)


def test_a_point_that_a_logarithm_rounds_is_found() -> None:
    client = popbo_client([ranged("rate", 1e-4, 1.0, log=True)], 5)
    for rate in (0.9, 0.01, 0.6, 0.1, 0.3):
        client.complete_trial(client.attach_trial({"rate": rate}), {"loss": abs(rate - 0.3)})
    client.get_next_trials(1)
    found = best_point(client)
    assert (found.parameters, found.trial_index) == ({"rate": 0.3}, 4)


@pytest.mark.parametrize("outcome", [None, math.nan])
def test_a_point_that_failed_at_first_belongs_to_the_trial_that_succeeded(
    outcome: float | None,
) -> None:
    client = popbo_client(floats(2), 5)
    run_trials(client, sphere, 6)
    point = {"x0": 0.3, "x1": 0.3}
    first, second = client.attach_trial(point), client.attach_trial(point)
    if outcome is None:
        client.mark_trial_failed(first)
    else:
        client.complete_trial(first, {"loss": outcome})
    client.complete_trial(second, {"loss": 0.0})
    for use_model in (True, False):
        found = best_point(client, use_model)
        assert (found.parameters, found.trial_index) == (point, second)


def test_a_point_from_before_a_parameter_was_added_is_found() -> None:
    client = popbo_client(floats(2), 5)
    points = run_trials(client, sphere, 6)
    late = RangeParameter("late", ParameterType.FLOAT, 0.0, 1.0, backfill_value=0.5)
    client._experiment.add_parameters_to_search_space([late])
    client.get_next_trials(1)
    assert best_point(client).parameters in points


def test_several_objectives_have_no_best_point() -> None:
    with pytest.raises(UnsupportedError, match="get_pareto_frontier"):
        best_point(popbo_client(floats(2), 5, "-loss, cost"))
