import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from botorch_popbo.benchmarks.campaign import run_campaign

from botorch_popbo.benchmarks.settings import Campaign

from .conftest import MakeCampaign, result


def lines(output: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in output.glob("records/*.jsonl"))


def command(campaign: Campaign) -> list[str]:
    return [
        *(sys.executable, "-m", "botorch_popbo.benchmarks", "compare", "--problems", "branin"),
        *("--methods", *campaign.methods, "--initial", "3", "--jobs", "2"),
        *("--trials", str(campaign.trials), "--seeds", "1", "--output", str(campaign.output)),
    ]


def test_a_killed_run_goes_on_without_repeating_a_trial(campaign: MakeCampaign) -> None:
    killed = replace(campaign(trials=60, output="killed"), methods=("random", "sobol"))
    # No pipe: a worker that outlives its parent for a while would keep it open.
    process = subprocess.Popen(command(killed), stderr=subprocess.DEVNULL)
    while lines(killed.output) < 30:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {p: p.read_bytes() for p in killed.output.glob("records/*.jsonl")}
    assert lines(killed.output) < 126
    again = subprocess.run(command(killed), capture_output=True, text=True, check=True)
    assert "branin" in again.stdout
    for path, content in before.items():
        whole = content[: content.rfind(b"\n") + 1]
        assert path.read_bytes().startswith(whole), "a finished trial was run again"
    whole_run = replace(killed, output=killed.output.with_name("whole"), jobs=1)
    assert run_campaign(whole_run) == []
    assert result(killed) == result(whole_run)


def test_a_complete_run_is_not_touched(campaign: MakeCampaign) -> None:
    done = campaign()
    run_campaign(done)
    (path,) = done.output.glob("records/*.jsonl")
    before = path.stat().st_mtime_ns
    assert run_campaign(done) == []
    assert path.stat().st_mtime_ns == before


def test_more_seeds_add_replications(campaign: MakeCampaign) -> None:
    run_campaign(campaign(seeds=1))
    first = result(campaign(seeds=1))
    run_campaign(campaign(seeds=2))
    assert result(campaign(seeds=2))[0] == first[0]
    assert result(campaign(seeds=2))[1] != first[0]


def test_the_bar_counts_trials_on_disk(
    campaign: MakeCampaign,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run_campaign(campaign())
    assert "7/7" in capsys.readouterr().err
    run_campaign(campaign(trials=1))
    assert "4/4" in capsys.readouterr().err


def test_a_log_is_not_filled_with_bars(
    campaign: MakeCampaign, capsys: pytest.CaptureFixture[str]
) -> None:
    run_campaign(campaign())
    assert capsys.readouterr().err == ""
