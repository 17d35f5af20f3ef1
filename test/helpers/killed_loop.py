"""Starts the stored service loop in a process of its own, kills it, and reads what it wrote."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

LOOP = Path(__file__).with_name("stored_loop.py")
PRECISION = 1e-9  # Ax stores outcomes with ten decimals
TIMEOUT = 300.0  # seconds, on however busy a machine

Event = dict[str, Any]


def events(log: Path, kind: str) -> list[Event]:
    """The events of one kind; a line cut short by a kill is left out."""
    lines = log.read_text().splitlines(keepends=True) if log.exists() else []
    parsed: list[Event] = [json.loads(line) for line in lines if line.endswith("\n")]
    return [event for event in parsed if event["event"] == kind]


def run_loop(directory: Path, num_trials: int, kill_after: float | None = None) -> bool:
    """Start or continue the loop; return whether it ended by itself.

    Args:
        directory: Where the database and the log are kept.
        num_trials: Trials after which the loop ends.
        kill_after: Seconds from the end of loading to SIGKILL, or None to let it end.
    """
    log = directory / "log.jsonl"
    num_starts = len(events(log, "loaded"))
    command = [sys.executable, str(LOOP), str(directory / "db.sqlite"), str(log), str(num_trials)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + TIMEOUT
        while len(events(log, "loaded")) == num_starts and process.poll() is None:
            assert time.monotonic() < deadline, "the loop did not start"
            time.sleep(0.01)
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        return process.wait(TIMEOUT) == 0


def check_log(log: Path, num_trials: int) -> None:
    """Assert that the finished loop lost no completed trial and suggested no point twice."""
    [finished] = events(log, "finished")
    trials = {trial["trial"]: trial for trial in finished["trials"]}
    assert len(trials) == num_trials
    assert len({json.dumps(trial["parameters"]) for trial in trials.values()}) == num_trials
    for trial in trials.values():
        assert trial["status"] == "COMPLETED"
        assert len(trial["losses"]) == 1
    for event in events(log, "suggested"):
        assert trials[event["trial"]]["parameters"] == event["parameters"]
    for event in events(log, "completed"):
        assert trials[event["trial"]]["parameters"] == event["parameters"]
        [stored] = trials[event["trial"]]["losses"]
        assert abs(stored - event["loss"]) < PRECISION
