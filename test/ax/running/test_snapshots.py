from pathlib import Path

import pytest
from ax.api.client import Client
from botorch_popbo.ax.snapshots import Snapshots, fit_model, load_client, save_client
from helpers.service_loop import floats, make_client, run_trials, sphere
from helpers.trial_states import fitted_model

from botorch_popbo.ax import popbo_generation_strategy


def new_client() -> Client:
    return make_client(popbo_generation_strategy(num_initial_trials=9), floats(2), "-loss")


def test_a_saved_client_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    client, path = new_client(), tmp_path / "client.json"
    run_trials(client, sphere, 3)
    save_client(client, path)
    loaded = Client.load_from_json_file(str(path))
    assert run_trials(loaded, sphere, 3) == run_trials(client, sphere, 3)


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


def test_saving_takes_a_tenth_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return now

    def take_two_seconds(*_: object) -> None:
        nonlocal now
        now += 2.0

    monkeypatch.setattr("botorch_popbo.ax.snapshots.time", Clock)
    monkeypatch.setattr("botorch_popbo.ax.snapshots.save_client", take_two_seconds)
    snapshots = Snapshots(new_client(), tmp_path / "client.json")
    assert snapshots.delay == 0
    snapshots.save()
    assert snapshots.delay == pytest.approx(18.0)
    now += 18.0
    assert snapshots.delay == pytest.approx(0.0)


def test_without_a_file_nothing_waits() -> None:
    snapshots = Snapshots(new_client(), None)
    snapshots.save()
    assert snapshots.delay == 0


@pytest.mark.parametrize("num_trials", [0, 3, 12])
def test_a_client_of_any_age_is_loaded(num_trials: int, tmp_path: Path) -> None:
    client, path = new_client(), tmp_path / "client.json"
    points = run_trials(client, sphere, num_trials)
    save_client(client, path)
    loaded = load_client(path)
    if num_trials == 12:
        assert loaded.predict(points)
    assert run_trials(loaded, sphere, 2) == run_trials(client, sphere, 2)


def test_after_a_fit_the_model_knows_the_latest_data() -> None:
    client = new_client()
    run_trials(client, sphere, 12)
    assert len(fitted_model(client).rank_counts) == 11
    fit_model(client)
    assert len(fitted_model(client).rank_counts) == 12
