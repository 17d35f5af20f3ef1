import math
from pathlib import Path

import pytest
from ax.api.client import Client
from ax.core.parameter import ParameterType, RangeParameter
from ax.exceptions.core import UserInputError
from helpers.service_loop import floats, make_client, run_trials, sphere

from botorch_popbo.ax import (
    best_point,
    fit_model,
    load_client,
    popbo_generation_strategy,
    save_client,
)
from botorch_popbo.ax.running import _snapshots
from botorch_popbo.ax.running._snapshots import Snapshots


def new_client() -> Client:
    return make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")


@pytest.mark.parametrize("num_trials", [0, 2, 6])
def test_a_saved_client_of_any_age_goes_on_as_if_it_had_not_stopped(
    num_trials: int, tmp_path: Path
) -> None:
    client, path = new_client(), tmp_path / "client.json"
    points = run_trials(client, sphere, num_trials)
    save_client(client, path)
    fitted, unfitted = load_client(path), Client.load_from_json_file(str(path))
    if num_trials == 6:
        assert fitted.predict(points)
    going_on = run_trials(client, sphere, 2)
    assert run_trials(fitted, sphere, 2) == going_on
    assert run_trials(unfitted, sphere, 2) == going_on


def test_after_a_fit_the_model_knows_the_latest_data() -> None:
    client = new_client()
    points = run_trials(client, sphere, 6)
    before = client.predict(points)
    fit_model(client)
    fitted = client.predict(points)
    assert fitted != before
    client.get_next_trials(max_trials=1)
    for found, expected in zip(fitted, client.predict(points), strict=True):
        assert found["loss"] == pytest.approx(expected["loss"])


def test_an_outcome_that_cannot_be_learned_is_corrected_in_the_loaded_client(
    tmp_path: Path,
) -> None:
    client, path = new_client(), tmp_path / "client.json"
    run_trials(client, sphere, 5)
    [index] = client.get_next_trials(1)
    client.complete_trial(index, {"loss": -math.inf})
    save_client(client, path)
    with pytest.warns(UserWarning, match=rf"not fitted yet.*client\.attach_data\({index}"):
        loaded = load_client(path)
    loaded.attach_data(index, {"loss": math.nan})
    assert loaded.get_next_trials(1)


def test_a_client_without_a_strategy_is_loaded(tmp_path: Path) -> None:
    client, path = Client(), tmp_path / "client.json"
    client.configure_experiment(floats(1))
    client.configure_optimization("-loss")
    client.complete_trial(client.attach_trial({"x0": 0.5}), {"loss": 1 / 3})
    save_client(client, path)
    loaded = load_client(path)
    assert best_point(loaded, use_model=False).outcome["loss"][0] == 1 / 3
    loaded.set_generation_strategy(popbo_generation_strategy(num_initial_trials=4))
    assert loaded.get_next_trials(1)


def test_parameters_that_were_added_or_disabled_late_keep_their_values(tmp_path: Path) -> None:
    client, path = new_client(), tmp_path / "client.json"
    run_trials(client, sphere, 6)
    late = RangeParameter("late", ParameterType.FLOAT, 0.0, 1.0, backfill_value=0.5)
    client._experiment.add_parameters_to_search_space([late])
    client._experiment.disable_parameters_in_search_space({"x1": 0.25})
    save_client(client, path)
    save_client(load_client(path), path)  # what was loaded is kept, too
    suggested = client.get_next_trials(1)
    assert load_client(path).get_next_trials(1) == suggested
    [point] = suggested.values()
    assert point["x1"] == 0.25


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", "{}", '{"_type": "Client"}'])
def test_a_damaged_file_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(content)
    with pytest.raises(UserInputError, match=r"damaged\.json' is no stored client"):
        load_client(path)


def test_a_save_that_fails_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client, path = new_client(), tmp_path / "client.json"
    save_client(client, path)
    before = path.read_bytes()

    def stop_half_way(filepath: str) -> None:
        Path(filepath).write_text("{")
        raise KeyboardInterrupt

    monkeypatch.setattr(client, "save_to_json_file", stop_half_way)
    with pytest.raises(KeyboardInterrupt):
        save_client(client, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("path", "delay"), [("client.json", 18.0), (None, 0.0)])
def test_saving_takes_a_tenth_of_the_time(
    path: str | None, delay: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return now

    def take_two_seconds(*_: object) -> None:
        nonlocal now
        now += 2.0

    monkeypatch.setattr(_snapshots, "time", Clock)
    monkeypatch.setattr(_snapshots, "save_client", take_two_seconds)
    snapshots = Snapshots(new_client(), path)
    assert snapshots.delay is None
    snapshots.note_change()
    assert snapshots.delay == 0.0
    snapshots.save()
    assert snapshots.delay is None
    snapshots.note_change()
    assert snapshots.delay == pytest.approx(delay)
    now += delay
    assert snapshots.delay == pytest.approx(0.0)
