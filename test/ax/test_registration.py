import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.service_loop import floats, make_client, run_trials, sphere

from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy, register

RELOAD = """
import json, logging, sys
from ax.api.client import Client
import botorch_popbo.ax
logging.disable(logging.WARNING)
client = Client.load_from_json_file(sys.argv[1])
print("RESULT", json.dumps(list(client.get_next_trials(max_trials=1).values())[0]))
"""


def next_in_a_fresh_process(path: Path) -> dict[str, float]:
    run = subprocess.run(
        [sys.executable, "-c", RELOAD, str(path)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    [line] = [line for line in run.stdout.splitlines() if line.startswith("RESULT")]
    result: dict[str, float] = json.loads(line.removeprefix("RESULT"))
    return result


@pytest.mark.parametrize("options", [{}, {"acquisition": "rlcb", "preset": "paper"}])
def test_reloaded_experiment_suggests_what_the_original_does(
    options: dict[str, Any], tmp_path: Path
) -> None:
    strategy = popbo_generation_strategy(num_initial_trials=4, seed=5, **options)
    client = make_client(strategy, floats(2), "-loss")
    run_trials(client, sphere, 6)
    client.save_to_json_file(str(tmp_path / "experiment.json"))
    reloaded = next_in_a_fresh_process(tmp_path / "experiment.json")
    [original] = client.get_next_trials(max_trials=1).values()
    assert reloaded == dict(original)


def test_gp_ucb_strategy_can_be_stored(tmp_path: Path) -> None:
    client = make_client(gp_generation_strategy("ucb", 3), floats(2), "-loss")
    run_trials(client, sphere, 4)
    client.save_to_json_file(str(tmp_path / "experiment.json"))
    assert next_in_a_fresh_process(tmp_path / "experiment.json").keys() == {"x0", "x1"}


def test_registering_twice_does_no_harm() -> None:
    register()
