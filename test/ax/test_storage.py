import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ax.api.client import Client
from ax.api.configs import StorageConfig
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UnsupportedError
from ax.storage.sqa_store.db import create_all_tables, get_engine, session_context
from helpers.search_spaces import KEYS, choice, ranged
from helpers.service_loop import Parameter, Parameterization, generator_keys, run_trials

from botorch_popbo.ax import fit_model, popbo_generation_strategy
from botorch_popbo.ax.generator_spec import PresetName

GOLDEN = Path(__file__).parents[1] / "golden" / "client_0_2.json"
PARAMETERS: list[Parameter] = [
    ranged("x", 0.0, 1.0),
    ranged("rate", 1e-6, 1.0, log=True),
    ranged("depth", 1, 8, "int"),
    choice("kind", ["a", "b", "c"]),
    choice("size", [8, 32, 512], is_ordered=True),
    choice("flag", [True, False]),
    choice("version", [3]),
]

# All that a process needs in order to continue experiments.
CONTINUE = """
import json, sys
import botorch_popbo.ax
from ax.api.client import Client
from ax.api.configs import StorageConfig
for where in sys.argv[1:]:
    client = (
        Client.load_from_json_file(where)
        if where.endswith("json")
        else Client.load_from_database("stored", StorageConfig(url=where))
    )
    points = list(client.get_next_trials(max_trials=2).values())
    print("RESULT", json.dumps([points, client.predict(points)]))
"""


def loss(p: Parameterization) -> float:
    return (
        (p["x"] - 0.7) ** 2
        + math.log10(p["rate"] / 1e-3) ** 2
        + abs(p["depth"] - 5) / 5
        + (p["kind"] != "b")
        + (p["size"] != 32)
        + p["flag"]
    )


def make_client(
    preset: PresetName = "default", storage: StorageConfig | None = None, order_only: bool = False
) -> Client:
    client = Client(storage)
    client.configure_experiment(PARAMETERS, name="stored")
    client.configure_optimization(objective="-loss")
    strategy = popbo_generation_strategy(
        num_initial_trials=5, seed=3, preset=preset, order_only=order_only
    )
    client.set_generation_strategy(strategy)
    return client


def run_with_accidents(client: Client) -> None:
    """Nine trials, of which one failed, one was abandoned and two are still running."""
    [failed] = client.get_next_trials(max_trials=1)
    client.mark_trial_failed(failed)
    [abandoned] = client.get_next_trials(max_trials=1)
    client.mark_trial_abandoned(abandoned)
    run_trials(client, loss, 5)
    client.get_next_trials(max_trials=2)  # by the model


def suggest(client: Client) -> list[Any]:
    """The next points and their predictions, as a fresh process prints them."""
    points = list(client.get_next_trials(max_trials=2).values())
    return json.loads(json.dumps([points, client.predict(points)]))


def suggest_in_a_fresh_process(*places: str) -> list[list[Any]]:
    run = subprocess.run(
        [sys.executable, "-c", CONTINUE, *places],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    lines = [line for line in run.stdout.splitlines() if line.startswith("RESULT")]
    return [json.loads(line.removeprefix("RESULT")) for line in lines]


def assert_near(reloaded: list[Parameterization], original: list[Parameterization]) -> None:
    for new, old in zip(reloaded, original, strict=True):
        for name, value in old.items():
            is_float = isinstance(value, float)
            assert new[name] == (pytest.approx(value, rel=1e-6, abs=1e-9) if is_float else value)


def assert_same(reloaded: list[Any], original: list[Any]) -> None:
    """Points and predictions are those of outcomes that went through a file, as ten decimals."""
    assert_near(reloaded[0], original[0])
    for new, old in zip(reloaded[1], original[1], strict=True):
        assert new["loss"] == pytest.approx(old["loss"])


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    """A database for this test only; Ax keeps one for the whole process."""
    path = tmp_path / "db.sqlite"
    with session_context(url=f"sqlite:///{path}"):
        create_all_tables(get_engine())
        yield path


def test_what_a_fresh_process_reads_gives_the_same_candidates(database: Path) -> None:
    clients = make_client(), make_client("paper", StorageConfig(url=f"sqlite:///{database}"))
    for client in clients:
        run_with_accidents(client)
    file, copy = str(database.with_name("client.json")), database.with_name("copy.sqlite")
    clients[0].save_to_json_file(file)
    shutil.copy(database, copy)
    found = suggest_in_a_fresh_process(file, f"sqlite:///{copy}")
    for reloaded, client in zip(found, clients, strict=True):
        assert_same(reloaded, suggest(client))


@pytest.mark.parametrize("num_trials", [0, 3, 6])
def test_reload_at_any_time_changes_nothing(num_trials: int, tmp_path: Path) -> None:
    client = make_client(order_only=True)  # of distances, ten decimals are stored
    run_trials(client, loss, num_trials)
    path = str(tmp_path / "client.json")
    client.save_to_json_file(path)
    reloaded = Client.load_from_json_file(path)
    assert run_trials(reloaded, loss, 3) == run_trials(client, loss, 3)
    assert generator_keys(reloaded) == generator_keys(client)


def test_predictions_right_after_a_reload(tmp_path: Path) -> None:
    client = make_client()
    points = run_trials(client, loss, 6)
    client.get_next_trials(max_trials=1)
    path = tmp_path / "client.json"
    client.save_to_json_file(str(path))
    with pytest.raises(UnsupportedError, match="Predicting"):
        Client.load_from_json_file(str(path)).predict(points)
    reloaded = Client.load_from_json_file(str(path))
    fit_model(reloaded)
    for new, old in zip(reloaded.predict(points), client.predict(points), strict=True):
        assert new["loss"] == pytest.approx(old["loss"])


def test_experiment_stored_by_version_0_2_goes_on() -> None:
    client = Client.load_from_json_file(str(GOLDEN))
    trials = client._experiment.trials
    assert list(trials) == list(range(10))
    others = {7: TrialStatus.FAILED, 9: TrialStatus.RUNNING}
    for index, trial in trials.items():
        assert trial.status == others.get(index, TrialStatus.COMPLETED)
    assert generator_keys(client) == ["Sobol"] * 4 + [KEYS["default"]] * 6
    assert len(client._experiment.lookup_data().df) == 8
    stored = [trial.arm.parameters for trial in trials.values()]
    suggested = list(client.get_next_trials(max_trials=2).values())
    assert generator_keys(client)[10:] == [KEYS["default"]] * 2
    for point in suggested:
        assert point not in stored
        assert 1e-6 <= point["rate"] <= 1.0
        assert point["depth"] in range(1, 9)
        assert point["kind"] in ("a", "b", "c")
    for prediction in client.predict(stored):
        assert all(map(math.isfinite, prediction["loss"]))
