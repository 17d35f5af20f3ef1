"""The adapter knows every trial: those outside of the space, and abandoned ones."""

from pathlib import Path

import pytest
from ax.api.client import Client
from helpers.search_spaces import KEYS, assert_distinct, choice, ranged
from helpers.service_loop import (
    Parameterization,
    floats,
    generator_keys,
    last_acquisition,
    pending_points,
    popbo_client,
    run_trials,
    sphere,
)

from botorch_popbo.ax.generator_spec import PresetName


def started(objective: str = "-loss", preset: PresetName = "default") -> Client:
    """An experiment in which the model has had its turn."""
    client = popbo_client(floats(2), 4, objective, preset=preset)
    run_trials(client, lambda p: {"loss": sphere(p), "cost": p["x0"]}, 6)
    return client


def suggested(client: Client) -> Parameterization:
    [point] = client.get_next_trials(1).values()
    return point


def test_trials_outside_of_the_space_are_learned_from_whenever_they_are_attached(
    tmp_path: Path,
) -> None:
    client = started()
    client.complete_trial(client.attach_trial({"x0": 2.0, "x1": 0.5}), {"loss": -1.0})
    client.save_to_json_file(str(tmp_path / "client.json"))
    loaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    assert suggested(client) == pytest.approx(suggested(loaded), abs=1e-6)
    acquisition = last_acquisition(client)
    (_, upper), _ = acquisition.search_space_digest.bounds
    assert acquisition.model.known_X[:, 0].max() == 2.0 * upper


def test_a_number_that_is_no_choice_is_learned_from_later_too() -> None:
    parameters = [choice("size", [16, 32, 64], is_ordered=True), ranged("x", 0.0, 1.0)]
    client = popbo_client(parameters, 3)
    run_trials(client, lambda p: p["x"] + p["size"], 5)
    client.complete_trial(client.attach_trial({"size": 24, "x": 0.5}), {"loss": 1.0})
    assert suggested(client)["size"] in (16, 32, 64)
    assert 0.5 in last_acquisition(client).model.known_X[:, 0]


@pytest.mark.parametrize("preset", KEYS)
def test_an_abandoned_trial_with_data_is_not_suggested_again(preset: PresetName) -> None:
    client = started(preset=preset)
    [(index, point)] = client.get_next_trials(1).items()
    client.attach_data(index, {"loss": 7.0})
    client.mark_trial_abandoned(index)
    points = [point, *run_trials(client, sphere, 2)]
    assert_distinct(points)
    assert generator_keys(client)[-2:] == [KEYS[preset]] * 2
    assert len(last_acquisition(client).model.known_X) == 7  # all but the abandoned one


def test_an_abandoned_trial_with_a_part_of_its_data_is_pending_once() -> None:
    client = started("-loss, -cost")
    [(index, point)] = client.get_next_trials(1).items()
    client.attach_data(index, {"cost": 0.2})
    client.mark_trial_abandoned(index)
    suggested(client)
    assert pending_points(client) == [pytest.approx(tuple(point.values()))]
