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
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import torch
from ax.api.client import Client
from ax.exceptions.core import UserInputError
from pandas.testing import assert_frame_equal

import botorch_popbo
from botorch_popbo.ax import Minimum, minimize

SPACE: dict[str, Any] = {"rate": (1e-4, 1.0, "log"), "kernel": ["rbf", "poly"]}
LAYERS: dict[str, Any] = {**SPACE, "layers": (1, 3)}


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


def run(function: Callable[..., float] = hard, n_trials: int = 10, **options: Any) -> Minimum:
    return minimize(function, SPACE, n_trials, n_initial=4, progress=False, **options)


@pytest.fixture(scope="module")
def whole() -> Minimum:
    return run()


def test_the_result_tells_all(whole: Minimum) -> None:
    history = whole.history
    assert list(history["trial"]) == list(range(10))
    failed = history[history["status"] == "failed"]
    assert 0 < len(failed) < 6
    assert set(failed["reason"]) == {"ArithmeticError: diverged"}
    done = history[history["status"] == "completed"]
    assert list(done["value"]) == [hard(r.rate, r.kernel) for r in done.itertuples()]
    least = done.loc[done["value"].idxmin()]
    assert whole.best_observed.parameters == {"rate": least["rate"], "kernel": least["kernel"]}
    assert whole.best_observed.trial_index == least["trial"]
    best = history.loc[whole.best.trial_index]
    assert whole.best.parameters == {"rate": best["rate"], "kernel": best["kernel"]}
    trace = whole.plot().data[1]
    assert list(trace.y) == list(done["value"].cummin())


@pytest.mark.parametrize("at", [{2}, {0, 6, 9}])
def test_an_interruption_changes_nothing(at: set[int], whole: Minimum, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    function = interrupted(at)
    for _ in at:
        with pytest.raises(KeyboardInterrupt):
            run(function, path=path)
    found = run(function, path=path)
    assert_frame_equal(found.history, whole.history, check_exact=True)
    assert found.best.parameters == whole.best.parameters


def test_a_fresh_process_goes_on_from_what_a_killed_one_had_finished(
    whole: Minimum, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    head = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_minimize import hard, run
calls = iter(range(100))
def killed(**parameters):
    if next(calls) == 7:
        os._exit(9)
    return hard(**parameters)
run(killed, path={str(path)!r})
"""
    assert subprocess.run([sys.executable, "-c", head], check=False).returncode == 9
    assert len(run(hard, 7, path=path).history) == 7  # nothing is evaluated again
    assert_frame_equal(run(path=path).history, whole.history, check_exact=True)


def test_more_trials_add_to_a_finished_run(whole: Minimum, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run(n_trials=6, path=path)
    assert_frame_equal(run(path=path).history, whole.history, check_exact=True)
    assert_frame_equal(run(n_trials=3, path=path).history, whole.history, check_exact=True)


def test_workers_evaluate_all(tmp_path: Path) -> None:
    def function(rate: float, kernel: str) -> float:
        if kernel == "poly":
            raise ValueError("poly")
        return rate / 3

    found = run(function, 6, n_jobs=2, path=tmp_path / "run.json").history
    for row in found.itertuples():
        expected = ("failed", "ValueError: poly") if row.kernel == "poly" else ("completed", "")
        assert (row.status, row.reason) == expected
    done = found[found["status"] == "completed"]
    assert list(done["value"]) == list(done["rate"] / 3)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["interruption", "death"])
def test_an_evaluation_that_is_cut_off_is_not_told_as_failed(
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
    with caplog.at_level(logging.WARNING, "botorch_popbo.ax"), expected:
        run(function, 3, n_jobs=2)
    assert not [record for record in caplog.records if record.exc_info]


def test_the_random_state_of_others_is_untouched(rng_untouched: None) -> None:
    np.random.seed(3)  # noqa: NPY002
    run(n_trials=6)
    drawn = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    assert drawn == np.random.random()  # noqa: NPY002


def test_every_evaluation_fails(caplog: pytest.LogCaptureFixture) -> None:
    def broken(rate: float, kernel: str) -> float:
        return rate + undefined  # type: ignore[name-defined, no-any-return]  # noqa: F821

    with (
        caplog.at_level(logging.WARNING, "botorch_popbo.ax"),
        pytest.raises(RuntimeError, match=r"All 3 evaluations failed, .* NameError"),
    ):
        run(broken, 3)
    (first,) = (record for record in caplog.records if record.exc_info)
    assert first.exc_info
    assert first.exc_info[0] is NameError


def test_every_value_is_no_number() -> None:
    with pytest.raises(RuntimeError, match=r"All 3 .* ValueError: the value .* number: None"):
        run(lambda rate, kernel: None, 3)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "low"])
def test_what_is_no_number_is_a_failure(value: Any) -> None:
    calls = iter(range(9))
    found = run(lambda rate, kernel: value if next(calls) == 1 else rate, 3).history
    assert list(found["status"]) == ["completed", "failed", "completed"]


def test_a_small_space_is_searched_whole() -> None:
    found = minimize(lambda a, b: a * b, {"a": (1, 2), "b": [1, 3]}, 9, progress=False)
    assert len(found.history) == 4
    assert found.best_observed.parameters == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_trials": 0}, "n_trials is at least 1"),
        ({"n_initial": 1}, "n_initial is at least 2"),
        ({"seed": 0.5}, "seed is a whole number"),
        ({"n_jobs": 0}, "n_jobs is at least 1"),
        ({"function": 3}, "cannot be"),
        ({"function": lambda rate: rate}, "unexpected keyword argument 'kernel'"),
        ({"function": lambda rate, kernel, x: x}, "missing a required argument: 'x'"),
        ({"space": {"rate": 3}}, "neither a tuple nor a list"),
        ({"space": {"value": (0, 1)}, "function": lambda value: value}, "called 'value'"),
    ],
)
def test_what_is_wrong_is_told_before_any_work(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        minimize(**({"function": hard, "space": SPACE, "n_trials": 3} | arguments))


def test_a_file_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run(n_trials=3, path=path)
    for changed, message in (
        ({"seed": 1}, "another seed 0, not 1"),
        ({"n_initial": 5}, "another n_initial 4, not 5"),
        ({"space": {"rate": (1e-4, 1.0), "kernel": ["rbf", "poly"]}}, "another space"),
    ):
        options: dict[str, Any] = {"space": SPACE, "n_initial": 4, **changed}
        with pytest.raises(UserInputError, match=message):
            minimize(hard, n_trials=4, path=path, **options)
    path.write_text("{")
    with pytest.raises(UserInputError, match="no stored client, or damaged"):
        run(path=path)
    client = Client()
    client.configure_experiment(parameters=botorch_popbo.ax.parameter_configs(SPACE))
    client.configure_optimization(objective="-value")
    client.set_generation_strategy(botorch_popbo.ax.popbo_generation_strategy())
    client.save_to_json_file(str(path))
    with pytest.raises(UserInputError, match="not written by minimize"):
        run(path=path)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ((1, 5), (1.0, 5.0)),
        ((1, 5), [1, 5]),
        ([1, 0], [True, False]),
        ([1, 2], [1.0, 2.0]),
        ((1.0, 5.0), (1.0, 5.0, "log")),
        ((1e-12, 1e-3, "log"), (1e-9, 1e-3, "log")),
        ([1.0, 2.0], [1.0, 2.000000001]),
    ],
)
def test_a_space_that_looks_the_same_is_another(was: Any, now: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.json"

    def go_on(said: Any) -> Minimum:
        return minimize(lambda x: float(x), {"x": said}, 1, path=path, progress=False)

    go_on(was)
    with pytest.raises(UserInputError, match="another space"):
        go_on(now)


def test_any_mapping_is_a_space(tmp_path: Path) -> None:
    space, path = MappingProxyType(SPACE), tmp_path / "run.json"
    for number in (1, 2):
        found = minimize(lambda rate, kernel: rate, space, number, path=path, progress=False)
        assert len(found.history) == number


def test_a_file_that_says_more_of_its_space_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json"

    def easy(rate: float, kernel: str) -> float:
        return rate

    run(easy, 2, path=path)
    client = Client.load_from_json_file(str(path))
    said = json.loads(client._experiment.description or "")
    client._experiment.description = json.dumps({"space": SPACE, **said})  # as it once was
    client.save_to_json_file(str(path))
    assert len(run(easy, 3, path=path).history) == 3


def test_a_file_that_cannot_be_written_is_found_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none"):
        run(lambda **_: pytest.fail("evaluated"), path=tmp_path / "none" / "run.json")


def test_the_file_is_whole_after_each_evaluation(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.json", []

    def function(rate: float, kernel: str) -> float:
        trials = json.loads(path.read_text())["experiment"]["trials"]
        seen.append(sum(trial["status"]["name"] == "COMPLETED" for trial in trials.values()))
        return rate

    run(function, 4, path=path)
    assert seen == [0, 1, 2, 3]


def test_the_name_is_at_the_top() -> None:
    assert botorch_popbo.minimize is minimize
    assert "minimize" in dir(botorch_popbo)


def test_numbers_of_numpy_are_whole_numbers(tmp_path: Path) -> None:
    found = minimize(
        lambda x: x,
        {"x": (0.0, 1.0)},
        n_trials=np.int64(2),  # type: ignore[arg-type]
        n_initial=np.int64(2),  # type: ignore[arg-type]
        seed=np.int64(1),  # type: ignore[arg-type]
        path=tmp_path / "run.json",
    )
    assert len(found.history) == 2


def test_a_seed_of_more_than_63_bits_is_refused() -> None:
    with pytest.raises(UserInputError, match="seed is below 2"):
        run(seed=2**63)


def test_a_function_may_change_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (elsewhere := tmp_path / "elsewhere").mkdir()

    def wandering(**parameters: Any) -> float:
        monkeypatch.chdir(elsewhere)
        return len(parameters)

    run(wandering, n_trials=3, path="run.json")
    assert not any(elsewhere.iterdir())
    assert len(Client.load_from_json_file(str(tmp_path / "run.json")).summarize()) == 3


def test_a_function_may_switch_gradients_off() -> None:
    def evaluated(**parameters: Any) -> float:
        torch.set_grad_enabled(False)
        return hard(**parameters)

    assert_frame_equal(run(evaluated, n_trials=6).history, run(n_trials=6).history)
    assert torch.is_grad_enabled()
