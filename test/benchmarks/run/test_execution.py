import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

from botorch_popbo.benchmarks.cli import main
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


def test_what_another_process_is_at_is_left_to_it_until_nothing_else_is_to_be_done(
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


@pytest.mark.slow
def test_a_killed_run_goes_on_without_repeating_a_trial(campaign: MakeCampaign) -> None:
    killed = campaign(trials=60, seeds=2, output="killed")
    words = "compare branin --methods random --initial 3 --trials 60 --seeds 2 --jobs 1 --output"
    command = [sys.executable, "-m", "botorch_popbo", *words.split(), str(killed.output)]
    # No pipe: a worker that outlives its parent for a while would keep it open.
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while sum(map(len, result(killed))) < 30:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path: path.read_bytes() for path in killed.output.glob("records/*.jsonl")}
    assert sum(map(len, result(killed))) < 126
    subprocess.run(command, capture_output=True, check=True)
    for path, content in before.items():
        whole = content[: content.rfind(b"\n") + 1]
        assert path.read_bytes().startswith(whole)
    whole_run = replace(killed, output=killed.output.with_name("whole"))
    run_campaign(whole_run)
    assert result(killed) == result(whole_run)


DYING = """
import os
from pathlib import Path
from botorch_popbo.benchmarks.methods import Method, SequentialOptimizer
from botorch_popbo.benchmarks.points import uniform_point

class Dying(SequentialOptimizer):
    def choose(self, trial, seed):
        mark = Path(__file__).with_name(self.setting.method[:4])
        if trial == 3 and (mark.name == "dyin" or not mark.exists()):
            mark.touch()
            os._exit(1)
        return uniform_point(self.space, self.problem.name, self.setting.seed, trial), None

def dying(): return Method("dying", "ends its process", Dying)
def once(): return Method("once", "ends its process once", Dying)
"""


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced_and_given_up_if_it_dies_again_alone(
    campaign: MakeCampaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own := tmp_path / "own.py").write_text(DYING)
    found = campaign(seeds=2)
    words = f"compare branin --methods random {own}:once {own}:dying --jobs 2 --seeds 2"
    words += f" --initial 3 --trials 4 --output {found.output}"
    assert main(words.split()) == 1
    told = capsys.readouterr().err
    assert "a worker process was killed; starting" in told
    assert all(map(found.is_complete, found.cells()))
    twice = "its worker process died twice, the second time alone"
    assert [line for line in told.splitlines() if twice in line and "dying" not in line] == []
    assert f"seed 1, trial 3: {twice}" in told
    [digest] = {path.stem.split("--")[1] for path in found.output.rglob("*once@*.jsonl")}
    again = replace(found, methods=(digest,))
    points = [[trial[1] for trial in records] for records in result(again)]
    assert points == [[trial[1] for trial in records] for records in result(found)]
