import sys
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments import _suggestion_time as module
from botorch_popbo.benchmarks.experiments._suggestion_time import (
    LOOPS,
    Measurement,
    measure,
    measure_apart,
)
from botorch_popbo.benchmarks.run._limit import LimitExceeded

CAMPAIGN = """
experiment = "suggestion-time"
methods = ["popbo", "paper-eri", "botorch-gp"]
sizes = [40, 10, 20]
seeds = 2
"""
Asked = list[tuple[str, int, int, int]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Replace the measurements; those that were asked for."""
    found = []

    def apart(method: str, size: int, first: int, repeats: int, limit: float) -> list[Measurement]:
        found.append((method, size, first, repeats))
        if method == "paper-eri":
            raise RuntimeError("out of memory")
        if method == "botorch-gp":
            return [Measurement(first, 61.0, 300.0)]
        return [Measurement(first + i, 0.75 + i, 400.0) for i in range(repeats)]

    monkeypatch.setattr(module, "measure_apart", apart)
    return found


def test_slow_and_failing_methods_are_spared_larger_sizes(
    tmp_path: Path, asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.toml").write_text(CAMPAIGN)
    options = ["--campaign", str(tmp_path / "c.toml"), "--output", str(tmp_path / "out")]
    assert main(["compare", *options]) == 1
    assert asked == [
        *((method, 10, 0, 2) for method in ("popbo", "paper-eri", "botorch-gp")),
        *(("popbo", size, 0, 2) for size in (20, 40)),
    ]
    streams = capsys.readouterr()
    for line in (
        "failed: paper-eri on num_points 10, trial 0: RuntimeError: out of memory",
        "unavailable: paper-eri: left out, for it failed or took too long on 10 points",
        "failed: botorch-gp on num_points 10, trial 1: a suggestion took 61 s, longer than",
    ):
        assert line in streams.err
    assert "10 botorch-gp 61.000 300.000 1.000 popbo 1.750" in " ".join(streams.out.split())
    # What is on disk is not measured again, more repetitions are added to it, and only failures
    # are tried once more.
    asked.clear()
    assert main(["compare", *options, "--seeds", "3", "--methods", "popbo", "botorch-gp"]) == 1
    assert asked == [("popbo", size, 2, 1) for size in (10, 20, 40)]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process")
def test_the_shipped_campaign_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--campaign", "suggestion-time", "--smoke", "--output", str(tmp_path)]
    assert main(["compare", *options, "--methods", "popbo"]) == 0
    assert " popbo " in capsys.readouterr().out


@pytest.mark.parametrize("method", LOOPS)
def test_every_method_is_measured(method: str) -> None:
    first, second = measure(method, num_points=12, first=3, repeats=2, limit=60.0)
    assert (first.trial, second.trial) == (3, 4)
    assert first.peak_mib > 50


def test_a_process_that_takes_too_long_is_ended() -> None:
    with pytest.raises(LimitExceeded, match=r"no answer within the 0\.001 seconds"):
        measure_apart("popbo", 10, 0, 1, 0.001)
