import pytest
from ax.api.client import Client
from helpers.search_spaces import assert_distinct, ranged
from helpers.service_loop import Parameter, floats, generator_keys

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.nodes import InitialDesign


def start(
    parameters: list[Parameter], constraints: list[str], design: InitialDesign = "sobol"
) -> Client:
    client = Client()
    client.configure_experiment(parameters, parameter_constraints=constraints)
    client.configure_optimization("-loss")
    client.set_generation_strategy(popbo_generation_strategy(initial_design=design))
    return client


@pytest.mark.parametrize("design", ["sobol", "uniform"])
def test_no_failed_point_is_drawn_again(design: InitialDesign) -> None:
    client = start([ranged("x0", 1, 3, "int"), ranged("x1", 1, 2, "int")], [], design)
    points = []
    for _ in range(3):
        for index, point in client.get_next_trials(2).items():
            client.mark_trial_failed(index)
            points.append(point)
    assert_distinct(points)
    assert generator_keys(client) == [design.capitalize()] * 6


def test_no_failed_point_is_drawn_again_where_few_points_are_feasible() -> None:
    client = start(floats(3), ["x0 + x1 + x2 <= 0.002"])
    points = []
    for _ in range(3):
        [(index, point)] = client.get_next_trials(1).items()
        client.mark_trial_failed(index)
        points.append(point)
    assert_distinct(points)
