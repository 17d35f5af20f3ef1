"""The example evaluates trials side by side, and goes on after it was killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from helpers.examples import EXAMPLES

ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "RAY_USAGE_STATS_ENABLED": "0"}


def command(*options: object) -> list[str]:
    return [sys.executable, str(EXAMPLES / "cluster.py"), *map(str, options)]


def trials(path: Path) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(path.read_text())["experiment"]["trials"]
    return stored


def completed(path: Path) -> dict[str, Any]:
    """The parameters of the completed trials in a file."""
    return {
        index: trial["generator_run"]["arms"][0]["parameters"]
        for index, trial in trials(path).items()
        if trial["status"]["name"] == "COMPLETED"
    }


@pytest.mark.slow
def test_ray_evaluates_trials(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    path = tmp_path / "client.json"
    words = command("--engine", "ray", "--trials", 3, "--save", path)
    run = subprocess.run(
        words, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "best: trial " in run.stdout
    assert len(completed(path)) == 3


@pytest.mark.slow
def test_a_killed_example_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "client.json"
    words = command("--engine", "processes", "--trials", 7, "--save", path)
    # No pipe: a worker that outlives its parent for a while would keep it open.
    process = subprocess.Popen(words, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (path.exists() and len(completed(path)) >= 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = completed(path)
    again = subprocess.run(
        words, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False
    )
    assert again.returncode == 0, again.stderr
    assert "best: trial " in again.stdout
    after = completed(path)
    assert before.items() <= after.items()
    assert len({str(point) for point in after.values()}) == len(trials(path)) == 7
