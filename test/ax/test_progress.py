from pathlib import Path

import pytest
from ax.api.client import Client
from ax.exceptions.core import DataRequiredError, SearchSpaceExhausted
from helpers.search_spaces import KEYS, ranged
from helpers.service_loop import Parameter, floats, generator_keys, run_trials, sphere

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.nodes import PresetName


def start(
    parameters: list[Parameter],
    preset: PresetName = "default",
    objective: str = "-loss",
    constraints: tuple[str, ...] = (),
) -> Client:
    client = Client()
    client.configure_experiment(parameters)
    client.configure_optimization(objective, outcome_constraints=constraints)
    strategy = popbo_generation_strategy(num_initial_trials=4, preset=preset)
    client.set_generation_strategy(strategy)
    return client


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_one_point_attached_many_times_is_no_design(preset: PresetName) -> None:
    client = start(floats(2), preset)
    for _ in range(5):
        client.complete_trial(client.attach_trial({"x0": 0.5, "x1": 0.5}), {"loss": 1.0})
    run_trials(client, sphere, 3)
    assert generator_keys(client)[5:] == ["Sobol", KEYS[preset], KEYS[preset]]


def test_a_failed_point_is_another_one() -> None:
    client = start(floats(2))
    for _ in range(5):
        client.complete_trial(client.attach_trial({"x0": 0.5, "x1": 0.5}), {"loss": 1.0})
    client.mark_trial_failed(client.attach_trial({"x0": 0.2, "x1": 0.2}))
    run_trials(client, sphere, 1)
    assert generator_keys(client)[-1] == "popbo-logei"


@pytest.mark.parametrize(
    ("constraints", "missing", "arrived"),
    [((), "loss", "los"), (("cost <= 1",), "cost, loss", "los")],
)
def test_a_metric_that_never_arrives_is_named(
    tmp_path: Path, constraints: tuple[str, ...], missing: str, arrived: str
) -> None:
    client = start(floats(2), constraints=constraints)
    run_trials(client, sphere, 4, metric="los")
    client.save_to_json_file(str(tmp_path / "client.json"))
    for each in (client, Client.load_from_json_file(str(tmp_path / "client.json"))):
        with pytest.raises(DataRequiredError, match=rf"data of {missing}, .* arrived: {arrived}"):
            each.get_next_trials(1)
    for index in range(4):
        client.attach_data(index, {"loss": float(index), "cost": 0.5})
    run_trials(client, sphere, 1)
    assert generator_keys(client)[-1] == "popbo-logei"


def test_a_metric_that_few_trials_have_is_named() -> None:
    client = start(floats(2), constraints=("cost <= 1",))
    client.complete_trial(client.attach_trial({"x0": 0.5, "x1": 0.5}), {"loss": 1.0, "cost": 0.5})
    run_trials(client, sphere, 8)
    with pytest.raises(DataRequiredError, match=r"Too few trials have data of cost, .*: cost, los"):
        client.get_next_trials(1)
    client.attach_data(1, {"cost": 0.7})
    run_trials(client, sphere, 1)
    assert generator_keys(client)[-1] == "popbo-logei"


def test_a_design_without_points_left_says_so(tmp_path: Path) -> None:
    table = start([ranged("x0", 1, 2, "int"), ranged("x1", 1, 2, "int")])
    table.complete_trial(table.attach_trial({"x0": 7, "x1": 1}), {"loss": 1.0})  # of no account
    for _ in range(4):
        table.get_next_trials(1)
    table.save_to_json_file(str(tmp_path / "client.json"))
    for each in (table, Client.load_from_json_file(str(tmp_path / "client.json"))):
        with pytest.raises(SearchSpaceExhausted, match=r"No point is left.*what is running"):
            each.get_next_trials(1)


def test_a_space_without_points_left_says_so() -> None:
    table = start([ranged("x0", 1, 3, "int"), ranged("x1", 1, 2, "int")])
    run_trials(table, sphere, 6)
    with pytest.raises(SearchSpaceExhausted, match=r"No point is left.*Widen"):
        table.get_next_trials(1)
    continuous = start(floats(2))
    run_trials(continuous, sphere, 5)
    fixed = {"x0": 0.5, "x1": 0.25}
    continuous.get_next_trials(1, fixed_parameters=fixed)
    with pytest.raises(SearchSpaceExhausted, match=r"No point is left.*fix fewer"):
        continuous.get_next_trials(1, fixed_parameters=fixed)


@pytest.mark.parametrize("num_known", [0, 1, 4])
def test_a_batch_is_as_large_as_what_is_left(num_known: int) -> None:
    table = start([ranged("x0", 1, 3, "int"), ranged("x1", 1, 2, "int")])
    run_trials(table, sphere, num_known)
    assert len(table.get_next_trials(20)) == 6 - num_known
    assert len(table._experiment.arms_by_signature) == 6
