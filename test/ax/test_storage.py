import json
import math
import os
import random
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
from helpers.killed_loop import check_log, events, run_loop
from helpers.search_spaces import KEYS, choice, ranged
from helpers.service_loop import Parameter, Parameterization, generator_keys, run_trials

from botorch_popbo.ax import (
    fit_model,
    popbo_generation_strategy,
)
from botorch_popbo.ax.nodes import PresetName

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

# All that a process needs in order to continue an experiment.
LOAD_JSON = """
import json, sys
import botorch_popbo.ax
from ax.api.client import Client
client = Client.load_from_json_file(sys.argv[1])
"""
LOAD_SQL = """
import json, sys
import botorch_popbo.ax
from ax.api.client import Client
from ax.api.configs import StorageConfig
client = Client.load_from_database("stored", StorageConfig(url=sys.argv[1]))
"""
SUGGEST = """
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


def make_client(preset: PresetName = "default", storage: StorageConfig | None = None) -> Client:
    client = Client(storage)
    client.configure_experiment(PARAMETERS, name="stored")
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(
        popbo_generation_strategy(num_initial_trials=5, seed=3, preset=preset)
    )
    return client


def run_with_accidents(client: Client) -> None:
    """Nine trials, of which one failed, one was abandoned and two are still running."""
    run_trials(client, loss, 5)
    [failed] = client.get_next_trials(max_trials=1)
    client.mark_trial_failed(failed)
    [abandoned] = client.get_next_trials(max_trials=1)
    client.mark_trial_abandoned(abandoned)
    run_trials(client, loss, 2)
    client.get_next_trials(max_trials=2)


def suggest(client: Client) -> list[Any]:
    """The next points and their predictions, as a fresh process prints them."""
    points = list(client.get_next_trials(max_trials=2).values())
    return json.loads(json.dumps([points, client.predict(points)]))


def suggest_in_a_fresh_process(load: str, where: str) -> list[Any]:
    run = subprocess.run(
        [sys.executable, "-c", load + SUGGEST, where],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    [line] = [line for line in run.stdout.splitlines() if line.startswith("RESULT")]
    result: list[Any] = json.loads(line.removeprefix("RESULT"))
    return result


def assert_same(reloaded: list[Any], original: list[Any]) -> None:
    """Points are equal; of predictions, floats that went through a file."""
    assert reloaded[0] == original[0]
    for new, old in zip(reloaded[1], original[1], strict=True):
        assert new["loss"] == pytest.approx(old["loss"])


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    """A database for this test only; Ax keeps one for the whole process."""
    path = tmp_path / "db.sqlite"
    with session_context(url=f"sqlite:///{path}"):
        create_all_tables(get_engine())
        yield path


READ_DATA = """
import sys
from ax.api.client import Client
from ax.storage.sqa_store.db import init_engine_and_session_factory
from ax.storage.sqa_store.load import load_experiment
init_engine_and_session_factory(url=sys.argv[1])
print("RESULT", load_experiment("stored", reduced_state=True).to_df()["loss"].round(6).tolist())
try:
    Client.load_from_json_file(sys.argv[2])
except Exception as error:
    print("ERROR", error)
assert "botorch_popbo" not in sys.modules
"""


def test_data_are_read_without_the_package_and_all_else_names_a_class_of_it(
    database: Path, tmp_path: Path
) -> None:
    client = make_client(storage=StorageConfig(url=f"sqlite:///{database}"))
    values = [round(loss(point), 6) for point in run_trials(client, loss, 7)]
    client.save_to_json_file(str(tmp_path / "client.json"))
    run = subprocess.run(
        [sys.executable, "-c", READ_DATA, f"sqlite:///{database}", str(tmp_path / "client.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"RESULT {values}" in run.stdout, run.stderr
    assert "RankSurrogate" in run.stdout.partition("ERROR")[2]


def test_file_read_by_a_fresh_process_gives_the_same_candidates(tmp_path: Path) -> None:
    client = make_client("default")
    run_with_accidents(client)
    path = str(tmp_path / "client.json")
    client.save_to_json_file(path)
    assert_same(suggest_in_a_fresh_process(LOAD_JSON, path), suggest(client))


def test_database_read_by_a_fresh_process_gives_the_same_candidates(database: Path) -> None:
    client = make_client("paper", StorageConfig(url=f"sqlite:///{database}"))
    run_with_accidents(client)
    copy = database.with_name("copy.sqlite")
    shutil.copy(database, copy)
    assert_same(suggest_in_a_fresh_process(LOAD_SQL, f"sqlite:///{copy}"), suggest(client))


@pytest.mark.parametrize("num_trials", [0, 3, 4, 6])
def test_reload_at_any_time_changes_nothing(num_trials: int, tmp_path: Path) -> None:
    client = make_client()
    run_trials(client, loss, num_trials)
    path = str(tmp_path / "client.json")
    client.save_to_json_file(path)
    reloaded = Client.load_from_json_file(path)
    assert run_trials(reloaded, loss, 4) == run_trials(client, loss, 4)
    assert generator_keys(reloaded) == generator_keys(client)


def test_predictions_right_after_a_reload(tmp_path: Path) -> None:
    client = make_client()
    points = run_trials(client, loss, 8)
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


def test_nothing_falls_back_to_sobol_after_two_reloads(tmp_path: Path) -> None:
    client, strategy = make_client(), popbo_generation_strategy()
    client.set_generation_strategy(strategy)
    path = str(tmp_path / "client.json")
    for _ in range(2):
        client.save_to_json_file(path)
        client = Client.load_from_json_file(path)
    nodes = client._generation_strategy._nodes
    assert [node.name for node in nodes] == [node.name for node in strategy._nodes]
    assert [node.fallback_specs for node in nodes] == [{}] * len(nodes)


@pytest.mark.slow
def test_killed_loop_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    moments = random.Random(0)
    kills = 0
    while kills < 2 and not run_loop(tmp_path, 400, kill_after=moments.uniform(0.0, 1.5)):
        kills += 1
    assert kills == 2
    num_trials = max(10, len(events(tmp_path / "log.jsonl", "suggested")) + 2)
    assert run_loop(tmp_path, num_trials)
    check_log(tmp_path / "log.jsonl", num_trials)
