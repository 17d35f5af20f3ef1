import warnings
from pathlib import Path

import pytest
from ax.api.client import Client
from ax.exceptions.core import DataRequiredError, SearchSpaceExhausted
from helpers.search_spaces import KEYS, ranged
from helpers.service_loop import floats, generator_keys, popbo_client, run_trials, sphere

from botorch_popbo.ax.generator_spec import PresetName


@pytest.mark.parametrize("other_fails", [False, True])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_one_point_attached_many_times_is_no_design(preset: PresetName, other_fails: bool) -> None:
    client = popbo_client(floats(2), 4, preset=preset)
    for _ in range(5):
        client.complete_trial(client.attach_trial({"x0": 0.5, "x1": 0.5}), {"loss": 1.0})
    if other_fails:
        client.mark_trial_failed(client.attach_trial({"x0": 0.2, "x1": 0.2}))
    run_trials(client, sphere, 3)
    first = KEYS[preset] if other_fails else "Sobol"
    assert generator_keys(client)[-3:] == [first, KEYS[preset], KEYS[preset]]


@pytest.mark.parametrize(
    ("constraints", "missing", "arrived"),
    [((), "loss", "los"), (("cost <= 1",), "cost, loss", "los")],
)
def test_a_metric_that_never_arrives_is_named(
    tmp_path: Path, constraints: tuple[str, ...], missing: str, arrived: str
) -> None:
    client = popbo_client(floats(2), 4, outcome_constraints=constraints)
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
    client = popbo_client(floats(2), 4, outcome_constraints=("cost <= 1",))
    client.complete_trial(client.attach_trial({"x0": 0.5, "x1": 0.5}), {"loss": 1.0, "cost": 0.5})
    run_trials(client, sphere, 8)
    with pytest.raises(DataRequiredError, match=r"Too few trials have data of cost, .*: cost, los"):
        client.get_next_trials(1)
    client.attach_data(1, {"cost": 0.7})
    run_trials(client, sphere, 1)
    assert generator_keys(client)[-1] == "popbo-logei"


def test_a_design_without_points_left_says_so(tmp_path: Path) -> None:
    table = popbo_client([ranged("x0", 1, 2, "int"), ranged("x1", 1, 2, "int")], 4)
    table.complete_trial(table.attach_trial({"x0": 7, "x1": 1}), {"loss": 1.0})  # of no account
    for _ in range(4):
        table.get_next_trials(1)
    table.save_to_json_file(str(tmp_path / "client.json"))
    for each in (table, Client.load_from_json_file(str(tmp_path / "client.json"))):
        with pytest.raises(SearchSpaceExhausted, match=r"No point is left.*the running trials"):
            each.get_next_trials(1)


def test_a_space_without_points_left_says_so() -> None:
    table = popbo_client([ranged("x0", 1, 3, "int"), ranged("x1", 1, 2, "int")], 4)
    run_trials(table, sphere, 6)
    with pytest.raises(SearchSpaceExhausted, match=r"No point is left.*Widen"):
        table.get_next_trials(1)
    continuous = popbo_client(floats(2), 4)
    run_trials(continuous, sphere, 5)
    fixed = {"x0": 0.5, "x1": 0.25}
    continuous.get_next_trials(1, fixed_parameters=fixed)
    with pytest.raises(SearchSpaceExhausted, match=r"No point is left.*fix fewer"):
        continuous.get_next_trials(1, fixed_parameters=fixed)


@pytest.mark.parametrize("num_known", [0, 1, 4])
def test_a_batch_is_as_large_as_what_is_left(num_known: int) -> None:
    table = popbo_client([ranged("x0", 1, 3, "int"), ranged("x1", 1, 2, "int")], 4)
    run_trials(table, sphere, num_known)
    assert len(table.get_next_trials(20)) == 6 - num_known
    assert len(table._experiment.arms_by_signature) == 6


@pytest.mark.parametrize("measured", [True, False])
def test_trials_stopped_early_count_where_they_have_data(measured: bool) -> None:
    client = popbo_client(floats(2), 4)
    for index, parameters in client.get_next_trials(4).items():
        if measured:
            client.attach_data(index, {"loss": sphere(parameters)})
        client._experiment.trials[index].mark_early_stopped(unsafe=True)
    run_trials(client, sphere, 1)
    assert generator_keys(client)[-1] == ("popbo-logei" if measured else "Sobol")


@pytest.mark.parametrize("state", ["running", "failed", "abandoned"])
def test_a_design_that_does_not_end_says_so_once(state: str) -> None:
    client = popbo_client(floats(2), 4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(11):
            [index] = client.get_next_trials(1)
            if state == "failed":
                client.mark_trial_failed(index)
            elif state == "abandoned":
                client.mark_trial_abandoned(index)
            said = [str(w.message) for w in caught if "initial design" in str(w.message)]
            assert len(said) == (number >= 9)
    assert "After 9 trials the search is still in its initial design of 4. " in said[0]
    assert f"Trials: 9 {state}; outcomes: 0 of loss." in said[0]
    assert generator_keys(client) == ["Sobol"] * 11


def test_an_ordinary_design_says_nothing() -> None:
    client = popbo_client(floats(2), 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        run_trials(client, sphere, 6)
