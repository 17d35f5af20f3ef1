import random

import numpy as np
import pytest
from ax.api.client import Client
from helpers.search_spaces import Space, assert_distinct, choice, ranged
from helpers.search_spaces import start as start_on
from helpers.service_loop import Parameter, floats, generator_keys, run_trials

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


SPACE = Space(
    [ranged("m", 0, 20, "int"), ranged("n", 0, 20, "int")],
    lambda p: float(p["m"] - p["n"]),
    ("m + n <= 15",),
)


def test_the_design_depends_on_its_seed_alone() -> None:
    runs = []
    for seed, python_seed in ((0, 1), (0, 2), (1, 1)):
        random.seed(python_seed)
        state = random.getstate()
        runs.append(run_trials(start_on(SPACE, seed=seed), SPACE.loss, 6))
        assert random.getstate() == state
    assert runs[0] == runs[1] != runs[2]


def test_a_design_with_categories_leaves_the_global_state_of_numpy() -> None:
    space = Space([choice("kind", ["a", "b", "c"]), ranged("x", 0.0, 1.0)], lambda p: p["x"])
    runs = []
    for numpy_seed in (1, 2):
        np.random.seed(numpy_seed)  # noqa: NPY002 - the state to leave alone
        before = np.random.get_state()[1:]  # noqa: NPY002
        runs.append(run_trials(start_on(space), space.loss, 5))
        after = np.random.get_state()[1:]  # noqa: NPY002
        assert str(after) == str(before)
    assert runs[0] == runs[1]
    assert {point["kind"] for point in runs[0]} == {"a", "b", "c"}
