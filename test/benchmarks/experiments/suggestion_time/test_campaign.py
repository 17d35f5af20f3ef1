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
        return [Measurement(first + i, 0.25, 0.5, 0.75, 400.0, 0.4) for i in range(repeats)]

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
    assert [line.split()[:2] for line in streams.out.splitlines()[2:6]] == [
        *(["10", "popbo"], ["10", "botorch-gp"], ["20", "popbo"], ["40", "popbo"])
    ]
    assert (tmp_path / "out" / "results.csv").read_text().count("\n") == 1 + 6 + 1
    # What is on disk is not measured again, more repetitions are added to it, and only failures
    # are tried once more.
    asked.clear()
    assert main(["compare", *options, "--seeds", "3", "--methods", "popbo", "botorch-gp"]) == 1
    assert asked == [("popbo", size, 2, 1) for size in (10, 20, 40)]


def test_a_library_that_is_missing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    options = ["--campaign", "suggestion-time", "--methods", "optuna-gp"]
    assert main(["compare", *options, "--output", str(tmp_path)]) == 1
    assert "optuna is not installed (install it, or leave the" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process")
@pytest.mark.parametrize("name", ["suggestion-time", "suggestion-time-parts"])
def test_a_shipped_campaign_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    method = {"suggestion-time": "popbo", "suggestion-time-parts": "ranking"}[name]
    options = ["--campaign", name, "--smoke", "--methods", method, "--output", str(tmp_path)]
    assert main(["compare", *options]) == 0
    printed = capsys.readouterr().out
    assert f" {method} " in printed
    assert ("%" in printed) == (method == "popbo")


COLUMNS = ["method", "num_points", "trial", "fit", "acquisition", "total", "peak_mib", "matrix"]


def rows(*results: tuple[object, ...]) -> list[list[str]]:
    frame = pd.DataFrame(results, columns=COLUMNS)
    return [line.split() for line in table(frame).splitlines()[2:-1]]


def test_the_median_is_shown_beside_the_gaussian_process_of_the_same_size() -> None:
    assert rows(
        ("popbo", 25, 0, 9.0, 9.0, 18.0, 500.0, 0.1),
        ("popbo", 25, 1, 0.25, 0.5, 0.75, 400.0, 0.4),
        ("popbo", 25, 2, 0.1, 0.1, 0.2, 450.0, 0.9),
        ("botorch-gp", 25, 0, None, None, 3.0, 300.0, None),
        ("popbo", 50, 0, None, None, 1.0, 300.0, None),
    ) == [
        ["25", "popbo", "0.250", "0.500", "0.750", "0.250", "400", "40%"],
        ["25", "botorch-gp", "-", "-", "3.000", "1.000", "300", "-"],
        ["50", "popbo", "-", "-", "1.000", "-", "300", "-"],
    ]


def test_through_ax_the_gaussian_process_is_the_one_through_ax() -> None:
    *_, last = rows(
        *(
            (method, 25, 0, None, None, total, 300.0, None)
            for method, total in (("botorch-gp", 1.0), ("ax-gp-logei", 8.0), ("ax-paper-eri", 2.0))
        )
    )
    assert last[1:6] == ["ax-paper-eri", "-", "-", "2.000", "0.250"]
