import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from pickle import PicklingError
from runpy import run_path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning

from botorch_popbo import minimize
from botorch_popbo.minimization import Evaluation, Result
from botorch_popbo.optuna import plot_result, study_of
from botorch_popbo.settings import ModelSettings, SearchSettings, Settings

SPACE: dict[str, Any] = {"rate": (1e-4, 1.0, "log"), "kernel": ["rbf", "poly"]}


def hard(rate: float, kernel: str) -> float:
    """Fails a quarter of the time, and has Cauchy noise; a point always has the same outcome."""
    digest = sha256(repr((rate, kernel)).encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    if rng.random() < 0.25:
        raise ArithmeticError("diverged")
    return float((math.log10(rate) + 2) ** 2 + (kernel == "poly") + 0.1 * rng.standard_cauchy())


def run(function: Callable[..., Any] = hard, n_trials: int = 10, **options: Any) -> Result:
    return minimize(function, SPACE, n_trials, n_initial=4, progress=False, **options)


@pytest.fixture(scope="module")
def whole() -> Result:
    return run()


def test_the_result_tells_all(whole: Result) -> None:
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


def test_a_choice_that_no_evaluation_has_is_tried() -> None:
    def loss(kind: str, u: float, v: float) -> float:
        return (u - 0.3) ** 2 + (v - 0.6) ** 2 + {"a": 0.0, "b": 0.3, "c": -0.5}[kind]

    draw = random.Random(3).random
    at = [{"kind": "ab"[i % 2], "u": draw(), "v": draw()} for i in range(10)]
    start = [{**point, "value": loss(**point)} for point in at]  # type: ignore[arg-type]
    space = {"kind": ["a", "b", "c"], "u": (0.0, 1.0), "v": (0.0, 1.0)}
    assert minimize(loss, space, 12, start=start).best.parameters["kind"] == "c"


def test_the_best_of_many_whole_numbers_is_found() -> None:
    # Any names will do.
    space: dict[str, Any] = {"function": (1, 1000), "status": (1, 1000), "self": 3}
    best = (333, 700, 3)
    found = minimize(lambda **x: math.dist(x.values(), best), space, 24, progress=False)
    assert found.best_observed.value < 3.0
    assert found.to_frame().status[23] == found.history[23].parameters["status"]


@pytest.mark.parametrize("at", [{2}, {0, 6, 9}])
def test_an_interruption_changes_nothing(
    at: set[int], whole: Result, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, calls = tmp_path / "run.json", iter(range(100))

    def function(**parameters: Any) -> float:
        if next(calls) in at:
            raise KeyboardInterrupt
        return hard(**parameters)

    for _ in at:
        with pytest.raises(KeyboardInterrupt):
            run(function, path=path)
    assert (
        f"interrupted after {min(at)} of 10 evaluations; repeat the call to resume" in caplog.text
    )
    assert repr(run(function, path=path)) == repr(whole)


def test_a_fresh_process_goes_on_from_what_a_killed_one_had_finished(
    whole: Result, tmp_path: Path
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


def test_a_changed_function_is_told_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.chdir(tmp_path)
    text = """
import functools
from botorch_popbo import minimize
def train(x):
    return x
for f in (train, functools.partial(train), lambda x: x):
    minimize(f, {"x": (0.0, 1.0)}, 2, path="run.json", progress=False)
"""
    (script := tmp_path / "script.py").write_text(text)
    run_path(str(script))
    script.write_text("# a comment\n" + text.replace("return x", "return -x"))
    done = subprocess.run(
        [sys.executable, "script.py"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.stderr.count("InputDataWarning: train has changed since") == 1
    run_path(str(script))
    assert not recwarn


def test_workers_evaluate_all_and_load_little(tmp_path: Path) -> None:
    def function(rate: float, kernel: str) -> float:
        import sys

        # After joblib its own copy of Loky starts workers, which loads NumPy, too.
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
    with pytest.raises(PicklingError, match="open files inside it"):
        run(lambda rate, kernel, s=(e for e in ()): 0.0, n_jobs=2)


@pytest.mark.slow
def test_a_good_evaluation_beside_a_crash_is_kept() -> None:
    def function(x: float) -> float:
        if x > 0.5:
            time.sleep(0.2)
            os._exit(3)
        time.sleep(1.0)  # it is cut off beside one of those, and tried once more
        return x

    found = minimize(function, {"x": (0.0, 1.0)}, 6, n_initial=6, n_jobs=2, progress=False)
    assert len(found.history) == 6
    died = ("failed", "the worker process died twice")
    for e in found.history:
        assert (e.status, e.reason) == (died if e.parameters["x"] > 0.5 else ("completed", ""))


@pytest.mark.slow
@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_what_ends_beside_an_exit_is_kept(
    end: type[BaseException], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def function(rate: float, kernel: str) -> float:
        (tmp_path / f"{rate}").touch()
        while len(list(tmp_path.glob("0.*"))) < 2:  # both end at the same time
            time.sleep(0.01)
        time.sleep(0.2)
        if kernel == "poly":
            time.sleep(0.02)
            raise end(3)
        return rate

    start = [{"rate": 0.1, "kernel": "poly"}, {"rate": 0.2, "kernel": "rbf"}]
    path = tmp_path / "run.json"
    with pytest.raises(end):
        run(function, 2, start=start, n_jobs=2, path=path)
    assert f"1 of 2 evaluations; repeat the call to resume from {path}" in caplog.text
    kept = json.loads(path.read_text())["evaluations"]
    assert [e["status"] for e in kept] == ["running", "completed"]


def test_what_workers_cannot_import_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("plug")
    exec("def f(**parameters): return 1.0", module.__dict__)
    monkeypatch.setitem(sys.modules, "plug", module)
    assert len(run(module.f, 3).history) == 3
    with pytest.raises(ModuleNotFoundError, match="No module named 'plug'"):
        run(module.f, 3, n_jobs=2, path=tmp_path / "run.json")
    assert len(run(n_trials=3, path=tmp_path / "run.json").history) == 3


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_mistake_ends_the_search_at_once(
    caplog: pytest.LogCaptureFixture, n_jobs: int, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    with pytest.raises(RuntimeError, match=r"failed with NameError: .* Correct it, or raise"):
        run(lambda **p: p["rate"] + undefined, 30, n_jobs=n_jobs, path=path)  # type: ignore[name-defined]  # noqa: F821
    assert caplog.text.count("name 'undefined' is not defined") == 1
    assert caplog.text.count("in <lambda>") == 1  # the place of the mistake
    assert repr(run(path=path, n_jobs=1)) == repr(run())  # nothing was held against the points


async def asynchronous(rate: float, kernel: str) -> float:
    return rate


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda rate, kernel: None, r"not a finite number: None \(is a return missing\?\)"),
        (lambda rate, kernel: (rate, -1.0), r"-1\.0 \(for several objectives, use Optimizer\)"),
        (lambda rate, kernel: {"loss": rate}, r"\} \(for several objectives, use Optimizer\)"),
        (lambda rate, kernel: rate.real_part, "AttributeError"),
        (asynchronous, r"<coroutine .* \(call async functions by asyncio\.run\)"),
    ],
)
def test_other_mistakes(function: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=rf"^[^\n]*{message}[^\n]*$"):
        run(function)


BRANCHES = {"kernel": {"rbf": {"gamma": (0.1, 1.0)}, "poly": {"degree": (1, 5)}}}


@pytest.mark.parametrize(
    ("function", "space", "message"),
    [
        (lambda rate: rate, SPACE, "rate, kernel: got an unexpected .* 'kernel'"),
        (lambda rate, kernel, x: x, SPACE, "missing a required argument: 'x'"),
        (
            lambda params: 1.0,
            SPACE,
            r"'params'. Parameters are passed by name; \*\*params",
        ),
        (lambda trial: 1.0, SPACE, "'trial'. Parameters are passed by name.*PoPBOSampler"),
        (3, SPACE, "3 is not a callable object"),
        (lambda kernel, gamma=1.0: gamma, BRANCHES, "kernel, degree: got an unexpected .*ee'"),
        (lambda kernel, gamma, degree=1: gamma, BRANCHES, "kernel, degree: missing .*'gamma'"),
    ],
)
def test_a_function_that_does_not_fit_is_never_called(
    function: Any, space: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputDataError, match=f"The function cannot be called with .*{message}"):
        minimize(function, space, 9, path=tmp_path / "run.json", progress=False)
    assert not [*tmp_path.iterdir()]  # the space may be corrected


class Unspeakable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise RuntimeError("without words")


def test_after_a_success_a_mistake_is_a_failed_run(caplog: pytest.LogCaptureFixture) -> None:
    def mistaken(rate: float, kernel: str) -> float:
        if kernel == "poly":
            raise Unspeakable
        return rate.real_part if rate > 0.1 else rate  # type: ignore[attr-defined]

    found = run(mistaken).history
    kinds = {"Unspeakable", "AttributeError"}
    assert {e.reason.partition(":")[0] for e in found} == {"", *kinds}
    assert {kind: caplog.text.count(f"failed with {kind}:") for kind in kinds} == dict.fromkeys(
        kinds, 1
    )


def test_a_design_that_fails_in_one_way_is_enough() -> None:
    calls: list[float] = []

    def alike(rate: float, kernel: str) -> float:
        calls.append(rate)
        raise ValueError(f"diverged at {rate}")

    with pytest.raises(RuntimeError, match=r"All 4 evaluations failed, .* ValueError: diverged"):
        run(alike)
    assert len(calls) == 4

    def differently(rate: float, kernel: str) -> float:
        raise ValueError("diverged") if kernel == "poly" else OverflowError("too much")

    with pytest.raises(RuntimeError, match="All 10 evaluations failed"):
        run(differently)
    with pytest.raises(RuntimeError, match="All 3 evaluations failed"):
        run(calls_inside, 3)


def down(**parameters: Any) -> float:
    raise ValueError("the cluster is down")


def test_past_successes_are_a_result_though_all_else_fails(tmp_path: Path) -> None:
    past = [{"rate": 10.0**-k, "kernel": "rbf", "value": abs(k - 1.5)} for k in range(4)]
    options: dict[str, Any] = {"start": past, "path": tmp_path / "run.json"}
    message = "All 4 evaluations failed, the first one with .* down. The result is the best past"
    with pytest.warns(InputDataWarning, match=message):
        found = run(down, **options)
    assert len(found.history) == 8  # no more than a design is lost
    assert found.best_observed.parameters["rate"] in (0.1, 0.01)
    assert found.best.is_past
    assert len(run(**options).history) == 14  # once it is mended, it goes on
    with pytest.raises(RuntimeError, match=r"All 2 evaluations failed\. Fix"):
        minimize(down, {"x": [1, 2]}, 3, start=[{"x": x, "value": None} for x in (1, 2)])
    outside = {"rate": 10.0, "kernel": "rbf", "value": 1.0}
    with pytest.raises(RuntimeError, match="All 4 evaluations failed"):
        run(down, start=outside)  # of the space nothing succeeded


def test_a_point_outside_of_the_space_teaches_and_is_not_recommended() -> None:
    results: list[Result] = []
    past = [{"x": x, "value": -x} for x in (0.2, 0.5, 1.2, 1.5, 2.0, 3.0)]
    options: dict[str, Any] = {"n_initial": 6, "progress": False, "callback": results.append}
    found = minimize(lambda x: -x, {"x": (0.0, 1.0)}, 3, start=past, **options)
    assert [e.parameters["x"] for e in found.history][:7] == [0.2, 0.5, 1.2, 1.5, 2.0, 3.0, 1.0]
    for result in (*results, found):
        assert result.best.parameters == result.best_observed.parameters == {"x": 1.0}
    first = minimize(down, {"x": (0.0, 1.0)}, 1, start=past, progress=False)
    assert first.best.parameters == first.best_observed.parameters == {"x": 0.5}


def calls_inside(rate: float, kernel: str) -> float:
    return math.log10()  # type: ignore[call-arg]  # a TypeError inside may be of the parameters


@pytest.mark.parametrize(
    "value",
    [
        *(None, math.nan, math.inf, "low", "2", 2j, 10**400, (1.0, -1.0), (1.0, 2.0, 3.0)),
        *(np.zeros(2), torch.zeros(2), np.ma.masked, (1.0, math.inf), (1.0, 1e200)),
    ],
)
def test_what_is_no_number_is_a_failure(value: Any) -> None:
    calls = iter(range(9))
    found = run(lambda rate, kernel: value if next(calls) == 1 else rate, 3).history
    assert [e.status for e in found] == ["completed", "failed", "completed"]


def test_a_standard_error_is_learned_from(recwarn: pytest.WarningsRecorder) -> None:
    exact = run(lambda rate, kernel: (hard(rate, "rbf") if rate < 0 else rate, 0.0))
    assert {e.standard_error for e in exact.history} == {0.0}
    named = run(lambda rate, kernel: {"standard_error": 0.1, "value": rate})
    assert {e.standard_error for e in named.history} == {0.1}
    alone = run(lambda rate, kernel: {"value": rate})
    assert all(math.isnan(e.standard_error) and e.value > 0.0 for e in alone.history)
    assert not recwarn
    assert exact.best.value == exact.best_observed.value  # of either kernel


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_pair_is_not_taken_for_a_standard_error_in_silence(
    n_jobs: int, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    for n_trials in (4, 6):
        run(lambda rate, kernel: (rate, 0.9), n_trials, path=tmp_path / "run.json", n_jobs=n_jobs)
        [warning] = recwarn
        assert "a pair, so 0.9 is a standard error" in str(warning.message)


def test_a_search_says_why_it_stays_in_its_design(recwarn: pytest.WarningsRecorder) -> None:
    def seldom(rate: float, kernel: str) -> float:
        if rate > 1e-3:
            raise ValueError(rate)
        return rate

    assert len(run(seldom, 10).history) == 10
    [warning] = recwarn
    assert "Of 8 trials 2 have succeeded, 6 have failed" in str(warning.message)


def test_a_space_of_few_points_is_told_of() -> None:
    with pytest.warns(InputDataWarning, match="The space has only 2 points to evaluate, not 40"):
        found = minimize(lambda x: float(x), {"x": [0, 1]}, 40, progress=False)
    assert len(found.history) == 2
    past = [{"x": x, "value": x} for x in (1, 2)]
    with pytest.warns(InputDataWarning, match="The space has only 0 points to evaluate"):
        found = minimize(lambda x: pytest.fail("evaluated"), {"x": [1, 2]}, 3, start=past)
    assert found.best.value == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_trials": 0}, "n_trials must be a whole number of at least 1, not 0"),
        ({"n_initial": 0}, "n_initial must be a whole number of at least 1"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"timeout": "5"}, "timeout must be a number of seconds, or None, not '5'"),
        ({"timeout": math.nan}, "timeout must be a number of seconds, or None, not nan"),
        ({"callback": 3}, "callback must be a function of the result, or None, not 3"),
        ({"callback": lambda study, trial: None}, "callback must .*: missing a required .*'trial'"),
        ({"settings": {}}, r"settings must be Settings\(...\) or None, not {}"),
        ({"stop": "5%"}, "stop must be a chance between 0 and 1"),
        ({"n_jobs": 0}, "n_jobs must be a whole number of at least 1, or -1"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number of at least 1, or -1"),
        ({"space": {"rate": None}}, "neither a tuple nor a list"),
        ({"direction": "max"}, 'direction must be "minimize" or "maximize", not \'max\''),
        ({"start": 3}, "start must be a dictionary of parameters"),
        ({"start": [3] * 99}, r"but got \[3, 3, 3, 3, 3, 3, \.\.\.\]\.$"),
        ({"start": {"rate": 0.1}}, r"start, entry 1 lacks 'kernel'\.$"),
        ({"start": {"rate": 0.1, "value": 1}}, r"lacks 'kernel'\. To .* add a column to"),
        ({"start": ""}, "start must be .* but got ''"),
        ({"start": {"rate": 2.0, "kernel": "rbf"}}, "rate is 2.0, not from 0.0001 to 1.0"),
        ({"start": {"rate": 0.1, "kernel": "sgd"}}, "kernel is sgd, not one of rbf, poly"),
        ({"start": {"rate": 0.1, "kernel": "rbf", "x": 1}}, "has 'x', which is not a parameter"),
        ({"start": {"x": 1, "value": 1}}, r"'x', .* a data frame, such as to_frame\(\)"),
        (
            {"start": pd.DataFrame({"rate": [0.1], "loss": [3.0]})},
            "has 'loss', which is not a param",
        ),
        ({"start": [{"rate": 0.1, "kernel": "rbf"}] * 4}, "n_trials must be .* at least 4, not 3"),
        ({"start": {"rate": 0.1, "kernel": "rbf", "value": "?"}}, "value is ?"),
        ({"start": {"rate": None, "kernel": "rbf"}}, "rate is None, not a number"),
        ({"start": {"rate": 0.1, "kernel": "rbf", "value": -math.inf}}, "infinitely good"),
        (
            {"start": {"rate": 0.1, "kernel": "rbf", "value": 1.0, "standard_error": -1.0}},
            "start, entry 1: a standard error is from 0 to 1e154, not -1.0",
        ),
    ],
)
def test_what_is_wrong_is_told_before_any_work(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((InputDataError, ValueError), match=message):
        minimize(**({"function": hard, "space": SPACE, "n_trials": 3} | arguments))


def test_a_file_of_another_run_is_refused(tmp_path: Path) -> None:
    path, space = tmp_path / "run.json", SPACE | {"flag": 1}
    same: dict[str, Any] = {"space": space, "n_initial": 4, "path": path, "progress": False}
    minimize(lambda **_: 1.0, n_trials=3, **same)
    for changed, message in (
        ({"seed": 1}, "with seed 0, not 1"),
        ({"n_initial": 5}, "with n_initial 4, not 5"),
        ({"direction": "maximize"}, 'with direction "minimize", not "maximize"'),
        ({"start": {"rate": 0.1, "kernel": "rbf"}}, r"holds a run with another start\. Pass"),
        ({"space": space | {"rate": (1e-4, 1.0)}}, r"space of rate: .*, not {\S+ \[\S+ 1.0\]}\. "),
        ({"space": SPACE}, "another path to start again; start='.*run.json' takes over what is"),
        ({"space": space | {"more": 3}}, "space of more: None, not 3"),
        ({"space": space | {"flag": True}}, "space of flag: 1, not true"),
        ({"space": dict(reversed(space.items()))}, r'with space \["rate", "kernel"\], not'),
        ({"order_only": True}, r'with settings {}, not {"model.order_only": "True"}\.'),
        ({"settings": Settings(model=ModelSettings(known_radius=0.1))}, "model.known_radius"),
    ):
        with pytest.raises(InputDataError, match=message):
            minimize(lambda **_: 1.0, n_trials=4, **(same | changed))
    for content in (
        "",
        "{",
        "[]",
        '{"format": 1, "space": {}, "observations": []}',
        '{"experiment": {"_type": "Experiment"}}',
        '{"evaluations": [1]}',
    ):
        path.write_text(content)
        with pytest.raises(InputDataError, match=r"not a saved run of .* another path"):
            run(path=path)
        assert path.read_text() == content


NUMBERS: list[Any] = [None, "1", [1.0], {}, math.nan, math.inf, 10**400]
OF_RUN: dict[str, list[Any]] = {
    "format": [None, 1, "minimize 1"],
    "space": [None, [], 3, {}, {"x": None}],
    "seed": [None, 1, "0", [0], 0.0],
    "n_initial": [None, 5, 2.0],
    "direction": [None, "maximize"],
    "start": [None, "0"],
    "settings": [None, 3, {"model.order_only": "True"}],
    "evaluations": [None, {}, 3, "x", [None], [3], [[]], [{}]],
}
OF_EVALUATION: dict[str, list[Any]] = {
    "parameters": [None, [], 3, {}, {"x": 0.5}, {"x": 0.5, "n": 3}],
    "value": [*NUMBERS, -math.inf],
    "standard_error": [*NUMBERS[1:4], -1.0, 1e200],
    "status": [None, "done", "running", "failed", 3, []],
    "reason": [None, 3, "ValueError"],
    "is_past": [None, True, "no"],
    "more": [3],
}
OF_PARAMETERS: dict[str, list[Any]] = {
    "x": [*NUMBERS, 7.0, -0.1, "0.5"],
    "n": [*NUMBERS, 2.5, 0, 6],
    "k": [None, 4, "3"],
    "more": [3],
}


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (place, name, value)
        for place, edits in enumerate((OF_RUN, OF_EVALUATION, OF_PARAMETERS))
        for name, values in edits.items()
        for value in values
    ],
)
def test_a_file_is_checked_as_arguments_are(
    place: int, name: str, value: Any, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"

    def go_on(n_trials: int, function: Callable[..., Any]) -> None:
        space = {"x": (0.0, 1.0), "n": (1, 5), "k": 3}
        minimize(function, space, n_trials, n_initial=9, path=path, progress=False)

    go_on(2, lambda x, n, k: x + n)
    content = json.loads(path.read_text())
    second = content["evaluations"][1]
    (content, second, second["parameters"])[place][name] = value
    path.write_text(json.dumps(content))
    with pytest.raises(InputDataError) as raised:
        go_on(3, lambda **_: pytest.fail("evaluated"))
    assert str(raised.value).startswith(f"{path}, evaluation 2" if place else f"{path}")


def test_what_a_past_trial_was_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    start = [{"rate": 2.0, "kernel": "rbf", "value": v} for v in (1.0, math.nan)]
    run(n_trials=1, start=start, path=path)
    assert len(run(n_trials=2, start=start, path=path).history) == 4
    text = path.read_text()
    for other in (text.replace("1.0,", "0.5,"), "[" * 10**5, text.replace('"rbf"', "1e999")):
        path.write_text(other)
        with pytest.raises(InputDataError, match=r"run\.json"):
            run(n_trials=2, start=start, path=path)


def test_two_runs_do_not_share_a_file(tmp_path: Path) -> None:
    path, other = tmp_path / "run.json", []

    def function(rate: float, kernel: str) -> float:
        if not other:
            other.append(run(path=path))
        return rate

    with pytest.raises(RuntimeError, match="Another run writes to"):
        run(function, path=path)
    assert repr(run(lambda **_: pytest.fail("evaluated"), path=path)) == repr(other[0])


def test_the_file_is_whole_after_each_evaluation(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.json", []

    def function(rate: float, kernel: str) -> float:
        seen.append([e["status"] for e in json.loads(path.read_text())["evaluations"]])
        return rate

    run(function, 4, path=path)
    assert seen == [["completed"] * number for number in range(4)]
    for wrong, folder in ((tmp_path / "none" / "run.json", "an existing"), (tmp_path, "this")):
        with pytest.raises(FileNotFoundError, match=f"in {folder} folder, not: '{wrong}'"):
            run(lambda **_: pytest.fail("evaluated"), path=wrong)


def test_a_function_may_change_the_working_directory_and_gradients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Result
) -> None:
    monkeypatch.chdir(tmp_path)
    (elsewhere := tmp_path / "elsewhere").mkdir()

    def wandering(**parameters: Any) -> float:
        monkeypatch.chdir(elsewhere)
        torch.set_grad_enabled(False)
        return hard(**parameters)

    with torch.enable_grad():  # again, after that
        assert repr(run(wandering, path="run.json")) == repr(whole)
    assert [path.name for path in tmp_path.rglob("*.json")] == ["run.json"]
    assert not any(elsewhere.iterdir())


def test_settings_say_how_long_the_design_is(whole: Result) -> None:
    settings = Settings(search=SearchSettings(num_initial=4))
    assert repr(minimize(hard, SPACE, 10, settings=settings, progress=False)) == repr(whole)


def test_to_maximize_is_to_minimize_the_negated_function(whole: Result) -> None:
    found = run(lambda **p: -hard(**p), direction="maximize")
    assert [e.parameters for e in found.history] == [e.parameters for e in whole.history]
    best = found.best.value, found.best_observed.value
    assert best == (-whole.best.value, -whole.best_observed.value)
    assert found.direction == "maximize"


def test_what_a_user_starts_with_comes_first(tmp_path: Path) -> None:
    first, second = {"rate": 0.1, "kernel": "rbf"}, {"kernel": "poly", "rate": 1.0}
    path = tmp_path / "run.json"
    calls: list[dict[str, Any]] = []

    def counted(**parameters: Any) -> float:
        calls.append(parameters)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return simple(**parameters)

    with pytest.raises(KeyboardInterrupt):
        run(counted, start=[first, second], path=path)
    resumed = run(counted, start=[first, second], path=path)
    assert calls[:3] == [first, second, second]
    assert len(resumed.history) == 10
    assert repr(resumed) == repr(run(simple, start=[first, second]))


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_past_trials_teach_and_are_not_evaluated(direction: Any, tmp_path: Path) -> None:
    sign = -1.0 if direction == "maximize" else 1.0
    rates = [10.0**-e for e in (0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 3.5, 4.0, -0.5)]
    known = [{"rate": rate, "kernel": "rbf"} for rate in rates]
    rows = [{**point, "value": sign * simple(**point)} for point in known]  # type: ignore[arg-type]
    rows.append({"rate": 0.2, "kernel": "rbf", "value": math.nan})
    table = pd.DataFrame(rows).assign(day="Monday").convert_dtypes()  # with pandas.NA
    (path := tmp_path / "past.csv").write_text(table.to_csv(index=False))

    def function(**parameters: Any) -> float:
        assert parameters not in known
        return sign * simple(**parameters)

    found = [run(function, 2, start=start, direction=direction) for start in (rows, table, path)]
    assert repr(found[0]) == repr(found[1]) == repr(found[2])
    past, new = found[0].history[:10], found[0].history[10:]
    assert [e.value for e in past[:9]] == [row["value"] for row in rows[:9]]
    assert [e.status for e in past] == ["completed"] * 9 + ["failed"]
    assert [e.is_past for e in past + new] == [True] * 10 + [False] * 2
    # The design has ended, so the model suggests what is near the best.
    assert abs(math.log10(new[0].parameters["rate"]) + 2) < 1.0


def test_a_search_in_wider_ranges_begins_with_what_another_has_found(tmp_path: Path) -> None:
    path, table = tmp_path / "run.json", tmp_path / "history.csv"
    found = run(lambda **p: {"value": hard(**p), "standard_error": 0.1}, path=path)
    stopped = Evaluation({"rate": 0.1, "kernel": "rbf"}, "stopped", parts=(1.0,))
    history = [*found.history, stopped]
    replace(found, history=history).to_frame().to_csv(table, index=False)
    frame = found.to_frame()
    assert frame.status.tolist() == [e.status for e in found.history]
    space = SPACE | {"rate": (1e-6, 10.0, "log")}
    for start in (found, history, path, frame, table):
        wider = minimize(hard, space, 1, start=start, n_initial=4, progress=False)
        past = [replace(e, reason="", is_past=True) for e in found.history]
        assert repr(wider.history[:-1]) == repr(past)
    path.write_text('{"format": "minimize 2", "evaluations": [{"parameters": 3}]}')
    with pytest.raises(InputDataError, match=r"run\.json is not a saved run of minimize"):
        minimize(hard, space, 1, start=path)


def test_none_is_a_choice_in_files_and_tables_too(tmp_path: Path) -> None:
    space: dict[str, Any] = {"depth": [None, 3, 5], "norm": ["l2", None], "x": (0.0, 1.0)}

    def function(depth: int | None, norm: str | None, x: float) -> float:
        return (0.0 if depth is None else 1.0 / depth) + (norm is None) + x

    kept: dict[str, Any] = {"progress": False, "path": tmp_path / "run.json", "n_initial": 6}
    minimize(function, space, 8, **kept)
    found = minimize(function, space, 12, **kept)
    points = [e.parameters for e in found.history]
    assert {p["depth"] for p in points} == {None, 3, 5}
    assert (found.best.parameters["depth"], found.best.parameters["norm"]) == (None, "l2")
    rows = [{**e.parameters, "value": e.value} for e in found.history]
    (path := tmp_path / "past.csv").write_text(pd.DataFrame(rows).to_csv(index=False))
    for start in (rows, pd.DataFrame(rows), path):
        again = minimize(function, space, 1, start=start, progress=False)
        assert [e.parameters for e in again.history[:12]] == points
    study = study_of(found)
    assert [trial.params for trial in study.trials] == points
    depths = plot_result(found).data[3].x
    assert set(depths) == {"None", "3", "5"}


def test_what_is_known_of_a_small_space_is_not_evaluated() -> None:
    known = [{"a": 1, "b": 3, "value": 3.0}, {"a": 1, "b": 3, "value": 3.5}]
    again = [{"a": 1, "b": 3}, {"a": 2, "b": 3}, {"a": 2, "b": 3}]
    for start, points in (
        (known, [(1, 1), (2, 1), (2, 3)]),
        (known + again, [(1, 1), (1, 3), (2, 1), (2, 3), (2, 3)]),
    ):
        with pytest.warns(InputDataWarning, match=f"only {len(points)} points to evaluate"):
            found = minimize(lambda a, b: a * b, {"a": (1, 2), "b": [1, 3]}, 9, start=start)
        assert sorted((e.parameters["a"], e.parameters["b"]) for e in found.history[2:]) == points


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_after_the_timeout_nothing_begins(n_jobs: int) -> None:
    def slow(rate: float, kernel: str) -> float:
        time.sleep(0.3)
        return rate

    began = time.monotonic()
    found = run(slow, 1000, timeout=1.0, n_jobs=n_jobs)
    assert time.monotonic() - began < 20.0
    assert 1 <= len(found.history) < 50
    assert {e.status for e in found.history} == {"completed"}
    assert len(run(slow, 1000, timeout=0.0).history) == 1


def test_a_callback_hears_of_each_result_and_may_stop(whole: Result) -> None:
    results: list[Result] = []
    run(callback=lambda result: results.append(result) or True)  # what it returns says nothing
    first = next(i for i, e in enumerate(whole.history) if e.status == "completed")
    assert [len(result.history) for result in results] == list(range(first + 1, 11))
    assert repr(results[-1]) == repr(whole)

    def stop(result: Result) -> None:
        if len(result.history) >= 5:
            raise StopIteration

    assert repr(run(callback=stop).history) == repr(whole.history[:5])
    assert len(run(lambda **p: p["rate"], callback=stop, n_jobs=2).history) in (5, 6)
    with pytest.raises(ZeroDivisionError):
        run(callback=lambda _: 1 / 0)


def test_a_callback_may_have_no_signature() -> None:
    assert len(run(simple, 2, callback=type).history) == 2


def test_a_constant_reaches_the_function() -> None:
    def function(x: float, k: int, name: str) -> float:
        assert (k, name) == (3, "a")
        return np.float64(x)

    found = minimize(function, {"x": (0.0, 1.0), "k": 3, "name": ["a"]}, 6, progress=False)
    for e in found.history:
        assert (e.parameters["k"], e.parameters["name"]) == (3, "a")
        assert type(e.value) is type(e.parameters["x"]) is float
    with pytest.raises(InputDataError, match="entry 1: k is 4, but the space says 3"):
        minimize(max, {"x": (0.0, 1.0), "k": 3}, 6, start={"x": 0.5, "k": 4, "value": 1.0})


def test_what_is_found_in_the_file_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options: dict[str, Any] = {"n_initial": 4, "path": tmp_path / "run.json"}
    minimize(hard, SPACE, 3, **options)
    assert "found in" not in capsys.readouterr().err
    minimize(hard, SPACE, 5, **options)
    assert f"3 of 5 evaluations found in {options['path']}" in capsys.readouterr().err
    run(n_trials=6, path=options["path"])
    assert capsys.readouterr().err == ""


TERM = "kill(main, signal.SIGTERM)", "SystemExit", 143


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("end", "error", "status"),
    [
        ("killpg(0, signal.SIGINT)", "KeyboardInterrupt", 130),
        pytest.param(*TERM, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_a_script_and_workers_with_one_line(
    tmp_path: Path, end: str, error: str, status: int, n_jobs: int
) -> None:
    code = f"""
import signal, os, time
from pathlib import Path
from botorch_popbo import minimize
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
main = os.getpid()
def function(x):
    Path(f"{{os.getpid()}}.begun").touch()
    while len([*Path().glob("*.begun")]) < {n_jobs}:  # a process that starts prints a traceback
        time.sleep(0.1)
    if x > 0.7:
        os.{end}
        time.sleep(60)
    return x
try:
    minimize(function, {{"x": (0.0, 1.0)}}, 20, path="run.json", n_jobs={n_jobs})
except {error}:
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    print("caught")
    raise
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
        timeout=30,  # a worker that is left keeps the output open
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.returncode == status
    assert done.stdout == "caught\n"
    [line] = done.stderr.strip().splitlines()
    assert "repeat the call to resume from" in line


def quadratic(x: float) -> float:
    return (x - 0.3) ** 2


LINE = {"x": (0.0, 1.0)}


def test_it_stops_once_hardly_anything_better_is_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options: dict[str, Any] = {"n_initial": 4, "progress": False, "path": tmp_path / "run.json"}
    found = minimize(quadratic, LINE, 40, stop=0.2, **options)
    number = len(found.history)
    assert 4 < number < 40
    assert f"stopped after {number} of 40 evaluations: " in caplog.text
    assert caplog.text.count("chance of anything better by") == 1
    assert found.outlook().chance <= 0.2 < found.outlook(0.0).chance
    assert found.best.value < 0.001
    # The same call evaluates no more, and one that does not stop goes on from there.
    assert len(minimize(quadratic, LINE, 40, stop=0.2, **options).history) == number
    further = minimize(quadratic, LINE, number + 1, **options)
    assert further.history[:number] == found.history


def test_it_does_not_stop_before_the_end_of_the_design() -> None:
    found = minimize(quadratic, LINE, 6, n_initial=6, stop=0.999, progress=False)
    assert len(found.history) == 6
    early = minimize(quadratic, LINE, 5, n_initial=6, progress=False)
    assert math.isnan(early.outlook().chance)


@pytest.mark.parametrize("stop", [0.0, 1.0, -0.1, 5])
def test_to_stop_takes_a_chance(stop: float) -> None:
    with pytest.raises(InputDataError, match="stop must be a chance between 0 and 1"):
        minimize(quadratic, LINE, 10, stop=stop)


def test_each_evaluation_says_why_and_remembers_it(tmp_path: Path) -> None:
    options: dict[str, Any] = {"n_initial": 4, "progress": False, "path": tmp_path / "run.json"}
    found = minimize(quadratic, LINE, 6, start={"x": 0.5}, **options)
    reasons = [e.why for e in found.history]
    assert reasons[:4] == ["", *3 * ["Part of the design."]]
    assert all("likely to beat the best" in reason for reason in reasons[4:])
    again = minimize(quadratic, LINE, 6, start={"x": 0.5}, **options)
    assert [e.why for e in again.history] == reasons
