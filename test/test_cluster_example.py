import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from helpers.examples import EXAMPLES

SCRIPT = EXAMPLES / "cluster.py"
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "RAY_USAGE_STATS_ENABLED": "0"}


def command(*options: object) -> list[str]:
    fast = ("--workers", 2, "--initial", 4, "--seconds", 0.05)
    return [sys.executable, str(SCRIPT), *map(str, (*fast, *options))]


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


@pytest.mark.parametrize("engine", ["processes", pytest.param("ray", marks=pytest.mark.slow)])
def test_the_example_runs(engine: str, tmp_path: Path) -> None:
    if engine == "ray":
        pytest.importorskip("ray")
    path = tmp_path / "client.json"
    run = subprocess.run(
        command("--engine", engine, "--trials", 6, "--save", path, "--measure"),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "trial 5 completed" in run.stderr
    assert "workers busy: " in run.stdout
    assert "best: trial " in run.stdout
    assert len(completed(path)) == 6


@pytest.mark.slow
def test_a_killed_example_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "client.json"
    resumable = command("--engine", "processes", "--trials", 12, "--save", path)
    random_number = random.Random(0)
    before: dict[str, Any] = {}
    for _ in range(2):
        # No pipe: a worker that outlives its parent for a while would keep it open.
        process = subprocess.Popen(resumable, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (
            path.exists() and len(completed(path)) >= len(before) + 2
        ):
            time.sleep(0.02)
        time.sleep(random_number.uniform(0.0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = completed(path)
        assert before.items() <= after.items()
        before = after
    subprocess.run(resumable, env=ENVIRONMENT, stderr=subprocess.DEVNULL, timeout=120, check=True)
    after = completed(path)
    assert before.items() <= after.items()
    assert len({str(parameters) for parameters in after.values()}) == len(trials(path)) == 12
