import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from botorch_popbo.benchmarks import suggestion_speed
from botorch_popbo.benchmarks.suggestion_speed import (
    LARGE_SIZES,
    LOOPS,
    MatrixCalls,
    Measurement,
    compare,
    main,
    measure,
    measure_apart,
    table,
)

EXAMPLE = Measurement("popbo", 25, 0.25, 0.5, 0.75, 400.0, 0.4)


def example(method: str, num_points: int, total: float = 1.0) -> Measurement:
    return Measurement(method, num_points, None, None, total, 300.0, None)


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

    monkeypatch.setattr(suggestion_speed, "_suggest", suggest)
    assert measure("paper-eri", 10, repeats=3).total == 65.0
    assert seeds == [0, 0]  # the first to warm up


def test_the_median_repetition_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([(9.0, 9.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0)])
    monkeypatch.setattr(suggestion_speed, "_suggest", lambda *_, **__: next(times))
    found = measure("paper-eri", 10, repeats=3)
    assert (found.fit, found.acquisition, found.total) == (1.0, 2.0, 3.0)


def test_operations_on_matrices_are_counted_and_carried_out_again() -> None:
    matrix = torch.eye(4, dtype=torch.float64) * 3.0
    calls = MatrixCalls()
    with calls:
        for _ in range(3):
            factor = torch.linalg.cholesky(matrix)
        torch.cholesky_inverse(factor).exp()
        matrix[:2] @ matrix
        matrix @ matrix
    assert sorted(calls.numbers.values()) == [1, 1, 1, 3]
    assert calls.seconds() > 0.0
    assert torch.equal(matrix, torch.eye(4, dtype=torch.float64) * 3.0)


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
    monkeypatch.setattr(suggestion_speed, "_PATIENCE", 0.001)
    assert measure_apart("popbo", 10, 1) == "longer than 0 s"


def test_slow_and_failing_methods_are_spared_larger_sizes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, int]] = []

    def apart(method: str, num_points: int, repeats: int) -> Measurement | str:
        asked.append((method, num_points))
        if method == "paper-eri":
            return "out of memory"
        return example(method, num_points, total=61.0 if method == "botorch-gp" else 1.0)

    monkeypatch.setattr(suggestion_speed, "measure_apart", apart)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    rows, notes = compare([10, 20, LARGE_SIZES[0]], repeats=1)
    assert asked == [
        *((method, 10) for method in LOOPS if method != "optuna-gp"),
        ("popbo", 20),
        ("paper-rlcb", 20),
        ("popbo", LARGE_SIZES[0]),
    ]
    assert [(row.method, row.num_points) for row in rows] == [
        pair for pair in asked if pair[0] != "paper-eri"
    ]
    assert notes == [
        "optuna-gp: optuna is not installed",
        "paper-eri: out of memory at N = 10, larger sizes left out",
        "botorch-gp: longer than 60 s at N = 10, larger sizes left out",
    ]
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == len(asked)


def test_ratios_are_to_the_gaussian_process_of_the_same_size() -> None:
    rows = [EXAMPLE, example("botorch-gp", 25, 3.0), example("popbo", 50)]
    titles, first, second, third = (line.split() for line in table(rows).splitlines())
    assert titles[-1] == "matrix"
    assert first == ["25", "popbo", "0.250", "0.500", "0.750", "0.250", "400", "40%"]
    assert second == ["25", "botorch-gp", "-", "-", "3.000", "1.000", "300", "-"]
    assert third == ["50", "popbo", "-", "-", "1.000", "-", "300", "-"]


def test_the_command_prints_a_table_and_writes_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[tuple[list[int], int]] = []

    def fake(sizes: list[int], repeats: int) -> tuple[list[Measurement], list[str]]:
        asked.append((sizes, repeats))
        return [EXAMPLE], ["a note"]

    monkeypatch.setattr(suggestion_speed, "compare", fake)
    path = tmp_path / "times.json"
    main(["--sizes", "50", "25", "--large", "--repeats", "2", "--json", str(path)])
    assert asked == [([25, 50, *LARGE_SIZES], 2)]
    assert capsys.readouterr().out == table([EXAMPLE]) + "\na note\n"
    assert [Measurement(**row) for row in json.loads(path.read_text())] == [EXAMPLE]


def test_one_measurement_is_printed_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suggestion_speed, "measure", lambda *_: EXAMPLE)
    main(["--measure", "popbo", "25"])
    assert Measurement(**json.loads(capsys.readouterr().out)) == EXAMPLE
