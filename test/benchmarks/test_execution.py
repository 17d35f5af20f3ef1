import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from botorch_popbo.benchmarks.campaign import run_campaign
from botorch_popbo.benchmarks.execution import is_complete
from botorch_popbo.benchmarks.records import stuck_path

from botorch_popbo.benchmarks import execution
from botorch_popbo.benchmarks.settings import Setting

from .conftest import MakeCampaign, result


class FakeDeathError(Exception):
    pass


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[Setting, int]], list[int]]:
    """Lets workers die: as often as is said, while they run a setting."""

    def arrange(deaths: dict[Setting, int]) -> list[int]:
        sizes: list[int] = []
        run = execution._Execution.run

        def dying(self: execution._Execution, batch: list[Setting]) -> None:
            sizes.append(len(batch))
            doomed = [s for s in batch if deaths.get(s, 0)]
            run(self, [s for s in batch if s not in doomed])
            self.started = batch
            if doomed:
                deaths[doomed[0]] -= 1
                raise FakeDeathError

        monkeypatch.setattr(execution._Execution, "run", dying)
        monkeypatch.setattr(execution, "workers", lambda _: nullcontext((FakeDeathError,)))
        return sizes

    return arrange


def test_a_replication_whose_worker_died_goes_on(campaign: MakeCampaign, mortal: Any) -> None:
    several = campaign(seeds=3)
    first, *_ = several.settings()
    sizes = mortal({first: 2})
    assert run_campaign(several) == []
    assert all(is_complete(several, setting) for setting in several.settings())
    assert sizes == [3, 1, 1]


def test_one_that_always_dies_is_given_up(campaign: MakeCampaign, mortal: Any) -> None:
    several = campaign(seeds=3)
    first, *others = several.settings()
    mortal({first: 99})
    (failure,) = run_campaign(several)
    assert "seed 0, trial 0: its worker process died 3 times" in str(failure)
    assert all(is_complete(several, setting) for setting in others)


def test_one_that_was_stuck_is_given_up_at_once(campaign: MakeCampaign, mortal: Any) -> None:
    several = campaign(seeds=2)
    first, other = several.settings()
    mortal({first: 99})
    path = stuck_path(several.output, first)
    path.parent.mkdir(parents=True)
    path.write_text("Stack (most recent call first)")
    (failure,) = run_campaign(several)
    assert str(path) in str(failure)
    assert is_complete(several, other)


def worker_pids() -> list[int]:
    """The worker processes of this process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = stat.with_name("cmdline").read_text()
            if parent == os.getpid() and "popen_loky_posix" in command:
                found.append(int(stat.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_a_worker_that_is_killed_is_replaced(
    campaign: MakeCampaign, capsys: pytest.CaptureFixture[str]
) -> None:
    several = replace(campaign("sobol", trials=60, seeds=4), jobs=2)

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
