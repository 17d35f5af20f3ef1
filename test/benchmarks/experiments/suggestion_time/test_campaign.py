import pytest
from botorch_popbo.benchmarks.suggestion_speed import comparison
from botorch_popbo.benchmarks.suggestion_speed.comparison import LARGE_SIZES, compare
from botorch_popbo.benchmarks.suggestion_speed.loops import LOOPS
from botorch_popbo.benchmarks.suggestion_speed.measurement import Measurement
from helpers.measurements import example


def test_slow_and_failing_methods_are_spared_larger_sizes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, int]] = []

    def apart(method: str, num_points: int, repeats: int) -> Measurement | str:
        asked.append((method, num_points))
        if method == "paper-eri":
            return "out of memory"
        return example(method, num_points, total=61.0 if method == "botorch-gp" else 1.0)

    monkeypatch.setattr(comparison, "measure_apart", apart)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    rows, notes = compare([10, 20, LARGE_SIZES[0]], repeats=1)
    assert asked == [
        *((method, 10) for method in LOOPS if method != "optuna-gp"),
        *(
            (method, 20)
            for method in LOOPS
            if method not in ("optuna-gp", "paper-eri", "botorch-gp")
        ),
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
