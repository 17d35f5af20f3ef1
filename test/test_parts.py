"""Evaluations that come in parts: what is foreseen, what is stopped, what is kept."""

import json
import logging
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from botorch.exceptions import InputDataError
from scipy.stats import t as student

from botorch_popbo import minimize
from botorch_popbo._parts import Parts, Rivals

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
LEVELS = (3.0, -2.0, 0.5, 7.0)


def table(seed: int, rows: int, objectives: int = 1) -> np.ndarray:
    """Parts of some levels, ``rows x 4 x objectives``."""
    drawn = np.random.default_rng(seed).normal(size=(rows, len(LEVELS), objectives))
    return 2.0 * drawn[:, :1] + 0.3 * drawn + np.array(LEVELS)[:, None]


def parts(row: np.ndarray, *names: int) -> Parts:
    return {name: row[name].tolist() for name in names or range(len(row))}


def among(rows: np.ndarray, summary: Any = "mean") -> Rivals:
    whole = rows.mean(1) if summary == "mean" else rows[:, -1]
    return Rivals.among(summary, [(parts(r), w.tolist()) for r, w in zip(rows, whole, strict=True)])


@pytest.mark.parametrize("summary", ["mean", "last"])
def test_what_is_foreseen_knows_neither_levels_nor_units_nor_orders(summary: Any) -> None:
    rows = table(0, 9)
    rivals, seen = among(rows[1:], summary), parts(rows[0], 2, 1)
    foreseen = np.hstack(rivals.foresee(seen))
    assert np.hstack(among(rows[:0:-1], summary).foresee(seen)) == pytest.approx(foreseen)
    if summary == "mean":
        assert np.hstack(rivals.foresee(parts(rows[0], 1, 2))) == pytest.approx(foreseen)
    moved = 1e6 * rows + np.array([5.0, 50.0, -9.0, 0.0])[:, None]
    other = np.hstack(among(moved[1:], summary).foresee(parts(moved[0], 2, 1)))
    assert other[1:] == pytest.approx(foreseen[1:] * [1e12, 1.0])


def test_levels_alone_are_foreseen_without_error() -> None:
    rows = table(0, 5)[:, :1] + np.array(LEVELS)[:, None]
    for names in ((0,), (3, 1), (2, 0, 1)):
        value, variance, chance = among(rows[1:]).foresee(parts(rows[0], *names))
        assert value == pytest.approx(rows[0].mean(0))
        assert variance == pytest.approx([0.0], abs=1e-20)
        assert chance == float(rows[0].mean() > rows[1:].mean((1, 2)).max())


def test_the_chance_is_that_of_students_law_and_of_a_place_on_the_front() -> None:
    for seed in range(20):
        rows = table(seed, 7)
        value, variance, chance = among(rows[1:]).foresee(parts(rows[0], 0, 1))
        scale = math.sqrt(variance[0] * 3 / 5)  # of five degrees of freedom
        exact = student(5, value[0], scale).sf(rows[1:].mean((1, 2)).max())
        assert chance == pytest.approx(exact, abs=0.01)
        rows = table(seed, 7, objectives=2)
        values, variances, chance = among(rows[1:]).foresee(parts(rows[0], 0, 1))
        draws = np.random.default_rng(0).standard_t(5, size=(20_000, 2))
        draws = values + draws * np.sqrt(np.array(variances) * 3 / 5)
        is_matched = (rows[1:].mean(1)[:, None] >= draws).all(-1).any(0)
        assert chance == pytest.approx(1.0 - is_matched.mean(), abs=0.02)


def test_what_is_foreseen_is_calibrated() -> None:
    errors = []
    for seed in range(400):
        rows = table(seed, 7)
        value, variance, _ = among(rows[1:]).foresee(parts(rows[0], seed % 4))
        errors.append((rows[0].mean() - value[0]) / math.sqrt(variance[0]))
    assert abs(np.mean(errors)) < 0.15
    assert 0.85 < np.std(errors) < 1.15


def test_what_is_unknown_goes_on() -> None:
    rows = table(0, 4)
    assert not among(rows[:0]).worth(parts(rows[0], 0)) < 1.0
    assert math.isinf(among(rows[:0]).foresee(parts(rows[0], 0)).variances[0])
    hopeless = parts(rows[0] - 100.0, 0)
    assert not among(rows[1:2]).worth(hopeless) < 1.0
    assert among(rows[1:3]).worth(hopeless) < 1.0
    assert not among(rows[1:3]).worth(parts(rows[0] - 100.0)) < 1.0  # there are no more parts
    with pytest.raises(ValueError, match='"mean" or "last"'):
        among(rows, "median")


class Folds:
    """A function of five folds, which counts them."""

    def __init__(self, die_at: float = math.inf) -> None:
        self.seen: list[tuple[float, int]] = []
        self.num_open, self.die_at = 0, die_at

    def __call__(self, x: float, y: float, done: int = 0) -> Iterator[float]:
        self.num_open += 1
        try:
            for fold in range(done, 5):
                if len(self.seen) >= self.die_at:
                    raise KeyboardInterrupt
                self.seen.append((x, fold))
                yield (x - 0.3) ** 2 + (y - 0.6) ** 2 + 0.02 * math.sin(99 * x + 7 * fold) + fold
        finally:
            self.num_open -= 1


def run(function: Any, **options: Any) -> Any:
    given = {"budget": 60, "n_initial": 4, "resumable": True, "progress": False}
    return minimize(function, SPACE, **(given | options))


def test_hopeless_evaluations_are_stopped_and_not_recommended() -> None:
    folds, results = Folds(), []
    result = run(lambda x, y: folds(x, y), resumable=False, callback=results.append)
    statuses = [e.status for e in result.history]
    assert {*statuses} == {"completed", "stopped"}
    assert len(statuses) > 60 / 5
    assert 60 <= len(folds.seen) == sum(len(e.parts) for e in result.history) < 65
    assert folds.num_open == 0
    for e in result.history:
        assert (len(e.parts) == 5) is (e.status == "completed")
        if e.status == "completed":
            assert e.value == pytest.approx(np.mean(e.parts))
    for each in results:
        assert each.best.status == each.best_observed.status == "completed"
    assert "stopped after 1 parts" in str(next(e for e in result.history if e.status == "stopped"))
    assert abs(result.best.parameters["x"] - 0.3) < 0.2


def test_a_kill_after_any_part_loses_and_repeats_none(tmp_path: Path) -> None:
    whole = Folds()
    expected = run(whole, path=tmp_path / "whole.json", n_initial=50)
    kept = json.loads((tmp_path / "whole.json").read_text())["evaluations"]
    for count in range(1, 60, 11):
        path, seen = tmp_path / f"{count}.json", []
        for die_at in (count, math.inf):
            folds = Folds(die_at)
            try:
                run(folds, path=path, n_initial=50)
            except KeyboardInterrupt:
                assert die_at == count
            seen += folds.seen
        assert seen == whole.seen
        assert json.loads(path.read_text())["evaluations"] == kept
    assert len({*whole.seen}) == len(whole.seen) == sum(len(e.parts) for e in expected.history)


def test_what_is_stopped_is_taken_up() -> None:
    taken_up = []

    def function(x: float, y: float, done: int = 0) -> Iterator[float]:
        taken_up.extend([done] if done else [])
        for epoch in range(done, 9):
            yield (x - 0.3) ** 2 + (y - 0.6) ** 2 + math.sin(50 * x) / (epoch + 1)

    run(function, parts="last", budget=200)
    assert taken_up


def test_a_returned_value_and_a_failure_after_a_part_count(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL)

    def function(x: float, y: float) -> Iterator[float]:
        yield x
        if y > 0.7:
            raise ValueError("diverged")
        yield x
        return 10.0 * x + y

    result = run(function, resumable=False, parts="last", budget=40)
    for e in result.history:
        if e.status == "completed":
            assert e.value == pytest.approx(10.0 * e.parts[0] + e.parameters["y"])
        if e.status == "failed":
            assert len(e.parts) == 1
            assert e.reason == "ValueError: diverged"
    assert {e.status for e in result.history} >= {"completed", "failed"}


@pytest.mark.parametrize(
    ("yielded", "message"),
    [
        ([], "^The function failed with .* yielded nothing"),
        ([0.0, math.nan], "^All 4 evaluations .* part 2 is not a finite number: nan"),
        ([None], "^The function failed with .* part 1 is not a finite number: None"),
        ([{"loss": 1.0}], "^The function failed with .* part 1 is not a finite number: {'loss'"),
    ],
)
def test_bad_parts_are_failures_that_say_so(yielded: list[Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        run(lambda x, y: iter_of(yielded), resumable=False)


def iter_of(values: list[Any]) -> Iterator[Any]:
    yield from values


def test_bad_arguments_and_edited_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='"mean" or "last"'):
        run(Folds(), parts="median")
    with pytest.raises(InputDataError, match="budget"):
        run(Folds(), budget=0)
    with pytest.raises(InputDataError, match="n_trials, or a budget"):
        minimize(Folds(), SPACE)
    with pytest.raises(InputDataError, match="done"):
        run(lambda x, y: Folds()(x, y))
    path = tmp_path / "run.json"
    run(Folds(), path=path, budget=40)
    with pytest.raises(InputDataError, match='with parts "mean"'):
        run(Folds(), path=path, parts="last")
    with pytest.raises(InputDataError, match="with resumable true"):
        run(Folds(), path=path, resumable=False)
    content = json.loads(path.read_text())
    stopped = next(e for e in content["evaluations"] if e["status"] == "stopped")
    for bad in ([], [math.inf], "parts", ["a"]):
        stopped["parts"] = bad
        path.write_text(json.dumps(content))
        with pytest.raises(InputDataError, match=r"evaluation \d+: (parts are|status is)"):
            run(Folds(), path=path)


def test_workers_stop_evaluations_as_well() -> None:
    def function(x: float, y: float, done: int = 0) -> Iterator[float]:  # sent by value
        for fold in range(done, 5):
            yield (x - 0.3) ** 2 + (y - 0.6) ** 2 + fold

    state = torch.get_rng_state()
    result = run(function, n_jobs=2)
    assert torch.equal(state, torch.get_rng_state())
    assert {e.status for e in result.history} == {"completed", "stopped"}
    assert 60 <= sum(len(e.parts) for e in result.history) < 70


def test_what_workers_load_does_not_load_torch() -> None:
    code = "import sys, botorch_popbo._evaluation; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
