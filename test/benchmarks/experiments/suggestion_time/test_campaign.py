import sys
from pathlib import Path

import pandas as pd
import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments.suggestion_time import _campaign as module
from botorch_popbo.benchmarks.experiments.suggestion_time._campaign import table
from botorch_popbo.benchmarks.experiments.suggestion_time._measurement import Measurement

CAMPAIGN = """
experiment = "suggestion-time"
methods = ["popbo", "paper-eri", "botorch-gp"]
sizes = [40, 10, 20]
seeds = 2
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int, int]]:
    """Replace the measurements; those that were asked for."""
    found = []

    def apart(method: str, size: int, first: int, repeats: int, limit: float) -> list[Measurement]:
        found.append((method, size, first, repeats))
        if method == "paper-eri":
            raise RuntimeError("out of memory")
        if method == "botorch-gp":
            return [Measurement(first, 60.5, 0.5, 61.0, 300.0)]
        return [Measurement(first + i, 0.25, 0.5, 0.75, 400.0) for i in range(repeats)]

    monkeypatch.setattr(module, "measure_apart", apart)
    return found


def test_slow_and_failing_methods_are_spared_larger_sizes(
    tmp_path: Path, asked: list[tuple[str, int, int, int]], capsys: pytest.CaptureFixture[str]
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
        "failed: paper-eri on 10 points, trial 0: RuntimeError: out of memory",
        "unavailable: paper-eri on 20 points, 40 points: left out, for it failed or took too long",
        "failed: botorch-gp on 10 points, trial 1: a suggestion took 61 s, longer than --limit",
        "unavailable: botorch-gp on 20 points, 40 points: left out",
    ):
        assert line in streams.err
    for line in ("10 botorch-gp 60.500 0.500 61.000 300.000 1.000", "popbo 0.250 0.500 0.750"):
        assert line in " ".join(streams.out.split())
    assert (tmp_path / "out" / "results.csv").read_text().count("\n") == 1 + 6 + 1
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


def test_the_median_is_shown_beside_the_gaussian_process_of_the_same_size() -> None:
    results = pd.DataFrame(
        [
            ("popbo", 25, 0, 9.0, 9.0, 18.0, 500.0),
            ("popbo", 25, 1, 0.25, 0.5, 0.75, 400.0),
            ("popbo", 25, 2, 0.1, 0.1, 0.2, 450.0),
            ("botorch-gp", 25, 0, None, None, 3.0, 300.0),
            ("popbo", 50, 0, None, None, 1.0, 300.0),
        ],
        columns=["method", "num_points", "trial", "fit", "acquisition", "total", "peak_mib"],
    )
    found = " ".join(table(results).split())
    assert "25 botorch-gp - - 3.000 300.000 1.000 popbo 0.250 0.500 0.750 400.000 0.250" in found
    assert "50 popbo - - 1.000 300.000 -" in found
