import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.run import execution
from botorch_popbo.benchmarks.run.execution import run_campaign

from ..conftest import MakeCampaign, result


def test_more_seeds_add_replications_and_a_complete_run_is_not_touched(
    campaign: MakeCampaign,
) -> None:
    once, twice = campaign(seeds=1), campaign(seeds=2)
    run_campaign(once)
    (path,) = once.output.glob("records/*.jsonl")
    before, first = path.stat().st_mtime_ns, result(once)
    assert run_campaign(once) == []
    assert run_campaign(twice) == []
    assert path.stat().st_mtime_ns == before
    assert result(twice)[0] == first[0] != result(twice)[1]


def lines(output: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in output.glob("records/*.jsonl"))


def command(campaign: Optimization, jobs: int) -> list[str]:
    return [
        *(sys.executable, "-m", "botorch_popbo", "compare", "branin"),
        *("--methods", *campaign.methods, "--initial", "3", "--jobs", str(jobs)),
        *("--trials", str(campaign.trials), "--seeds", "1", "--output", str(campaign.output)),
    ]


@pytest.mark.slow
def test_a_killed_run_goes_on_without_repeating_a_trial(campaign: MakeCampaign) -> None:
    killed = replace(campaign(trials=60, output="killed"), methods=("random", "optuna-tpe"))
    # No pipe: a worker that outlives its parent for a while would keep it open.
    process = subprocess.Popen(command(killed, 2), stderr=subprocess.DEVNULL)
    while lines(killed.output) < 30:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {p: p.read_bytes() for p in killed.output.glob("records/*.jsonl")}
    assert lines(killed.output) < 126
    again = subprocess.run(command(killed, 1), capture_output=True, text=True, check=True)
    assert "branin" in again.stdout
    for path, content in before.items():
        whole = content[: content.rfind(b"\n") + 1]
        assert path.read_bytes().startswith(whole), "a finished trial was run again"
    whole_run = replace(killed, output=killed.output.with_name("whole"), jobs=1)
    assert run_campaign(whole_run) == []
    assert result(killed) == result(whole_run)


def test_what_another_process_is_at_is_left_to_it_until_the_rest_is_done(
    campaign: MakeCampaign,
) -> None:
    several = campaign(seeds=3)
    first, *others = several.cells()
    several.path(first).parent.mkdir(parents=True)
    is_there = threading.Event()

    def stay() -> None:
        with FileLock(several.path(first).with_suffix(".lock")):
            is_there.set()
            while not all(map(several.is_complete, others)):
                time.sleep(0.01)

    thread = threading.Thread(target=stay)
    thread.start()
    is_there.wait()
    assert run_campaign(several) == []
    thread.join()
    assert several.is_complete(first)


def test_one_that_dies_again_alone_is_given_up(
    campaign: MakeCampaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    several, sizes = campaign(seeds=3), []
    first, *others = several.cells()
    run = execution._Execution.run_together

    def dying(
        self: execution._Execution, batch: list[Any], waits: bool, started: list[Any]
    ) -> None:
        sizes.append(len(batch))
        run(self, [cell for cell in batch if cell not in (first, others[0])], waits, started)
        started += batch
        if first in batch:
            raise BrokenExecutor
        run(self, batch, waits, started)

    monkeypatch.setattr(execution._Execution, "run_together", dying)
    (failure,) = run_campaign(several)
    assert "seed 0, trial 0: its worker process died twice" in str(failure)
    assert sizes == [3, 1, 1]
    assert all(map(several.is_complete, others))


def worker_pids() -> list[int]:
    """The worker processes of this process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            is_worker = "popen_loky_posix" in stat.with_name("cmdline").read_text()
            found += [int(stat.parent.name)] if parent == os.getpid() and is_worker else []
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_a_worker_that_is_killed_is_replaced(
    campaign: MakeCampaign, capsys: pytest.CaptureFixture[str]
) -> None:
    several = replace(campaign("optuna-tpe", trials=60, seeds=3), jobs=2)

    def kill() -> None:
        while not list(several.output.glob("records/*.jsonl")):
            time.sleep(0.01)
        os.kill(worker_pids()[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    assert run_campaign(several) == []
    thread.join()
    assert "a worker process was killed; going on" in capsys.readouterr().err
    whole = replace(several, output=several.output.with_name("whole"), jobs=1)
    run_campaign(whole)
    assert result(several) == result(whole)
