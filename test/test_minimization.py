import json
import logging
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np
import pytest
import torch
from botorch.exceptions import InputDataError

from botorch_popbo import minimize
from botorch_popbo.minimization import Minimum
from botorch_popbo.settings import SearchSettings, Settings

SPACE: dict[str, Any] = {"rate": (1e-4, 1.0, "log"), "kernel": ["rbf", "poly"]}


def hard(rate: float, kernel: str) -> float:
    """Fails a quarter of the time, and has Cauchy noise; a point always has the same outcome."""
    digest = sha256(repr((rate, kernel)).encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    if rng.random() < 0.25:
        raise ArithmeticError("diverged")
    return float((math.log10(rate) + 2) ** 2 + (kernel == "poly") + 0.1 * rng.standard_cauchy())


def interrupted(at: set[int]) -> Callable[..., float]:
    calls = iter(range(100))

    def function(**parameters: Any) -> float:
        if next(calls) in at:
            raise KeyboardInterrupt
        return hard(**parameters)

    return function


def run(function: Callable[..., Any] = hard, n_trials: int = 10, **options: Any) -> Minimum:
    return minimize(function, SPACE, n_trials, n_initial=4, progress=False, **options)


@pytest.fixture(scope="module")
def whole() -> Minimum:
    return run()


def test_the_result_tells_all(whole: Minimum) -> None:
    assert len(whole.history) == 10
    failed = [e for e in whole.history if e.status == "failed"]
    assert 0 < len(failed) < 6
    assert {e.reason for e in failed} == {"ArithmeticError: diverged"}
    done = [e for e in whole.history if e.status == "completed"]
    assert [e.value for e in done] == [hard(**e.parameters) for e in done]
    assert whole.best_observed.value == min(e.value for e in done)
    assert whole.best in done


def simple(rate: float, kernel: str) -> float:
    return abs(math.log10(rate) + 2) + (kernel == "poly")


def test_an_increasing_transform_of_what_is_only_ordered_changes_nothing() -> None:
    first, second = (
        run(function, order_only=True)
        for function in (simple, lambda **p: math.exp(9.0 * simple(**p)))
    )
    assert [e.parameters for e in first.history] == [e.parameters for e in second.history]
    assert first.best.parameters == second.best.parameters
    assert abs(math.log10(first.best.parameters["rate"]) + 2) < 0.5


def test_a_unit_changes_nothing() -> None:
    first, second = run(simple), run(lambda **p: 1e3 * simple(**p) - 40.0)
    for one, other in zip(first.history, second.history, strict=True):
        assert one.parameters["kernel"] == other.parameters["kernel"]
        assert one.parameters["rate"] == pytest.approx(other.parameters["rate"], rel=1e-3)


@pytest.mark.parametrize("at", [{2}, {0, 6, 9}])
def test_an_interruption_changes_nothing(
    at: set[int], whole: Minimum, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "run.json"
    function = interrupted(at)
    for _ in at:
        with pytest.raises(KeyboardInterrupt):
            run(function, path=path)
    assert f"interrupted after {min(at)} of 10 evaluations; the same call goes on" in caplog.text
    assert repr(run(function, path=path)) == repr(whole)


def test_a_fresh_process_goes_on_from_what_a_killed_one_had_finished(
    whole: Minimum, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    head = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_minimization import hard, run
calls = iter(range(100))
def killed(**parameters):
    if next(calls) == 7:
        os._exit(9)
    return hard(**parameters)
run(killed, path={str(path)!r})
"""
    assert subprocess.run([sys.executable, "-c", head], check=False).returncode == 9
    assert len(run(hard, 7, path=path).history) == 7  # nothing is evaluated again
    assert repr(run(path=path)) == repr(whole)
    assert repr(run(n_trials=3, path=path)) == repr(whole)


def test_neither_ax_nor_joblib_is_needed_for_one_job() -> None:
    code = """
import sys
for name in ("ax", "joblib", "optuna", "pandas", "plotly"):
    sys.modules[name] = None  # importing it raises ImportError
from botorch_popbo import minimize
print(len(minimize(lambda x: x, {"x": (0.0, 1.0)}, 12, progress=False).history))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "12\n"


def test_workers_evaluate_all_and_load_little(tmp_path: Path) -> None:
    def function(rate: float, kernel: str) -> float:
        import sys

        if {"torch", "ax", "botorch_popbo.space"} & set(sys.modules):
            raise ValueError("heavy")
        if kernel == "poly":
            raise ValueError("poly")
        return rate / 3

    found = run(function, 6, n_jobs=2, path=tmp_path / "run.json").history
    for e in found:
        expected = ("failed", "ValueError: poly") if e.parameters["kernel"] == "poly" else None
        assert (e.status, e.reason) == (expected or ("completed", ""))
    done = [e for e in found if e.status == "completed"]
    assert [e.value for e in done] == [e.parameters["rate"] / 3 for e in done]
    with pytest.raises(PicklingError):
        run(lambda rate, kernel, s=(e for e in ()): 0.0, n_jobs=2)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["interruption", "death"])
def test_an_evaluation_that_is_cut_off_is_tried_again(
    end: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def function(rate: float, kernel: str) -> float:
        try:
            (tmp_path / "first").touch(exist_ok=False)
        except FileExistsError:
            time.sleep(60.0 if end == "interruption" else 0.0)
            return rate
        time.sleep(1.0)
        if end == "death":
            os._exit(1)
        raise KeyboardInterrupt

    expected = pytest.raises(KeyboardInterrupt) if end == "interruption" else nullcontext()
    with expected:
        found = run(function, 3, n_jobs=2)
        assert [e.status for e in found.history] == ["completed"] * 3
    assert "failed" not in caplog.text


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_evaluation_fails(caplog: pytest.LogCaptureFixture, n_jobs: int) -> None:
    def broken(rate: float, kernel: str) -> float:
        return rate + undefined  # type: ignore[name-defined, no-any-return]  # noqa: F821

    with (
        caplog.at_level(logging.WARNING, "botorch_popbo"),
        pytest.raises(RuntimeError, match=r"All 3 evaluations failed, .* NameError"),
    ):
        run(broken, 3, n_jobs=n_jobs)
    assert caplog.text.count("return rate + undefined") == 1


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "low", (1.0, -1.0), (1.0, 2.0, 3.0)])
def test_what_is_no_number_is_a_failure(value: Any) -> None:
    calls = iter(range(9))
    found = run(lambda rate, kernel: value if next(calls) == 1 else rate, 3).history
    assert [e.status for e in found] == ["completed", "failed", "completed"]


def test_a_standard_error_is_learned_from() -> None:
    exact = run(lambda rate, kernel: (hard(rate, "rbf") if rate < 0 else rate, 0.0))
    assert {e.standard_error for e in exact.history} == {0.0}
    assert exact.best.value == exact.best_observed.value  # of either kernel


def test_a_small_space_is_searched_whole() -> None:
    found = minimize(lambda a, b: a * b, {"a": (1, 2), "b": [1, 3]}, 9, progress=False)
    assert len({str(e.parameters) for e in found.history}) == len(found.history) == 4
    assert found.best_observed.parameters == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_trials": 0}, "n_trials is a whole number of at least 1, but got 0"),
        ({"n_initial": 0}, "n_initial is a whole number of at least 1"),
        ({"seed": 0.5}, "seed is a whole number"),
        ({"n_jobs": 0}, "n_jobs is a whole number of at least 1, or -1"),
        ({"n_jobs": "2"}, "n_jobs is a whole number of at least 1, or -1"),
        ({"function": 3}, "cannot be"),
        ({"function": lambda rate: rate}, "unexpected keyword argument 'kernel'"),
        ({"function": lambda rate, kernel, x: x}, "missing a required argument: 'x'"),
        ({"space": {"rate": 3}}, "neither a tuple nor a list"),
    ],
)
def test_what_is_wrong_is_told_before_any_work(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((InputDataError, ValueError), match=message):
        minimize(**({"function": hard, "space": SPACE, "n_trials": 3} | arguments))


def test_a_file_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run(n_trials=3, path=path)
    for changed, message in (
        ({"seed": 1}, "another seed 0, not 1"),
        ({"n_initial": 5}, "another n_initial 4, not 5"),
        ({"space": SPACE | {"rate": (1e-4, 1.0)}}, "another space"),
    ):
        options: dict[str, Any] = {"space": SPACE, "n_initial": 4, **changed}
        with pytest.raises(InputDataError, match=message):
            minimize(hard, n_trials=4, path=path, **options)
    for content in ("{", "[]", '{"experiment": {"_type": "Experiment"}}', '{"evaluations": [1]}'):
        path.write_text(content)
        with pytest.raises(InputDataError, match="earlier versions wrote other files"):
            run(path=path)
        assert path.read_text() == content


def test_a_space_that_looks_the_same_is_another(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    minimize(lambda x: float(x), {"x": [1, 0]}, 1, path=path, progress=False)
    with pytest.raises(InputDataError, match="another space"):
        minimize(lambda x: float(x), {"x": [True, False]}, 1, path=path, progress=False)


def test_the_file_is_whole_after_each_evaluation(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.json", []

    def function(rate: float, kernel: str) -> float:
        told = json.loads(path.read_text())["evaluations"]
        seen.append([e["status"] for e in told])
        return rate

    run(function, 4, path=path)
    assert seen == [["completed"] * number for number in range(4)]
    with pytest.raises(OSError, match="none"):
        run(lambda **_: pytest.fail("evaluated"), path=tmp_path / "none" / "run.json")


def test_a_function_may_change_the_working_directory_and_gradients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Minimum
) -> None:
    monkeypatch.chdir(tmp_path)
    (elsewhere := tmp_path / "elsewhere").mkdir()

    def wandering(**parameters: Any) -> float:
        monkeypatch.chdir(elsewhere)
        torch.set_grad_enabled(False)
        return hard(**parameters)

    try:
        assert repr(run(wandering, path="run.json")) == repr(whole)
    finally:
        torch.set_grad_enabled(True)
    assert not any(elsewhere.iterdir())
    assert (tmp_path / "run.json").exists()


def test_settings_say_how_long_the_design_is(whole: Minimum) -> None:
    settings = Settings(search=SearchSettings(num_initial=4))
    assert repr(minimize(hard, SPACE, 10, settings=settings, progress=False)) == repr(whole)
