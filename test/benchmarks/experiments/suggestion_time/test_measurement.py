import subprocess
from typing import Any

import pytest
from botorch_popbo.benchmarks.suggestion_speed import measurement
from botorch_popbo.benchmarks.suggestion_speed.loops import LOOPS
from botorch_popbo.benchmarks.suggestion_speed.measurement import (
    Measurement,
    measure,
    measure_apart,
)


@pytest.mark.parametrize("method", LOOPS)
def test_every_method_is_measured_in_stages(method: str) -> None:
    if method == "optuna-gp":
        pytest.importorskip("optuna")
    found = measure(method, num_points=12, repeats=2)
    assert (found.method, found.num_points) == (method, 12)
    assert found.peak_mib > 50
    if LOOPS[method].fit:
        assert found.fit is not None
        assert found.acquisition is not None
        assert found.total == found.fit + found.acquisition
    assert (found.matrix is not None) == (method == "popbo")


def test_no_more_suggestions_are_made_after_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def suggest(loop: Any, data: Any, seed: int) -> tuple[float, float]:
        seeds.append(seed)
        return 40.0, 25.0

    monkeypatch.setattr(measurement, "_suggest", suggest)
    assert measure("paper-eri", 10, repeats=3).total == 65.0
    assert seeds == [0, 0]  # the first to warm up


def test_the_median_repetition_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([(9.0, 9.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0)])
    monkeypatch.setattr(measurement, "_suggest", lambda *_, **__: next(times))
    found = measure("paper-eri", 10, repeats=3)
    assert (found.fit, found.acquisition, found.total) == (1.0, 2.0, 3.0)


def test_a_method_is_measured_in_a_process_of_its_own() -> None:
    found = measure_apart("popbo", num_points=10, repeats=1)
    assert isinstance(found, Measurement)
    assert found.num_points == 10


def test_a_process_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(code: int) -> Any:
        output = "Traceback\nValueError: too small\n"
        return lambda task, **_: subprocess.CompletedProcess(task, code, "", output)

    monkeypatch.setattr(subprocess, "run", run(1))
    assert measure_apart("popbo", 10, 1) == "ValueError: too small"
    monkeypatch.setattr(subprocess, "run", run(-9))
    assert measure_apart("popbo", 10, 1) == "ended by signal 9"


def test_a_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "PATIENCE", 0.001)
    assert measure_apart("popbo", 10, 1) == "longer than 0 s"
