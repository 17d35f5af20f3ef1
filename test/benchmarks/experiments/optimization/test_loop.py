from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.experiments.optimization._loop import Feedback, Loop
from botorch_popbo.benchmarks.methods import METHODS, Method, Suggestion
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.space import Space

SETTING = Setting("branin", "told", 3, 0)


class Told:
    """Remembers what it is told."""

    def __init__(self, *_: object) -> None:
        self.outcomes: list[tuple[Parameters, float]] = []

    def suggest(self, trial: int) -> Suggestion:
        raise NotImplementedError

    def observe(self, parameters: Parameters, observed: float) -> None:
        self.outcomes.append((parameters, observed))


class ToldOfFailures(Told):
    def observe_failure(self, parameters: Parameters) -> None:
        self.outcomes.append((parameters, float("nan")))


def start(
    optimizer: type[Told], monkeypatch: pytest.MonkeyPatch, *, upwards: bool = False
) -> tuple[Feedback, Told]:
    monkeypatch.setitem(METHODS, "told", Method("told", "", "told", optimizer))
    problem = replace(PROBLEMS["branin"].load(None), minimize=not upwards)
    found = Feedback(problem, SETTING, METHODS["told"])
    assert isinstance(found.optimizer, Told)
    return found, found.optimizer


def test_failures_are_told_as_the_worst_outcome_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    feedback, told = start(Told, monkeypatch)
    outcomes = [None, 3.0, None, 5.0, None, 1.0, None]
    for trial, observed in enumerate(outcomes):
        assert feedback.has_success == (trial > 1)
        feedback.tell({"x": trial}, observed)
    # The first one had to wait for a success.
    expected = [(1, 3.0), (0, 3.0), (2, 3.0), (3, 5.0), (4, 5.0), (5, 1.0), (6, 5.0)]
    assert told.outcomes == [({"x": trial}, value) for trial, value in expected]


def test_a_method_that_knows_failures_is_told_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    feedback, told = start(ToldOfFailures, monkeypatch)
    feedback.tell({"x": 0}, None)
    assert [parameters for parameters, _ in told.outcomes] == [{"x": 0}]
    assert not feedback.has_success


def test_the_best_is_the_smallest_or_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    feedback, _ = start(Told, monkeypatch)
    assert feedback.is_best(3.0)
    feedback.tell({"x": 0}, 3.0)
    assert not feedback.is_best(3.0)
    assert feedback.is_best(2.0)
    feedback, _ = start(Told, monkeypatch, upwards=True)
    feedback.tell({"x": 0}, 3.0)
    assert feedback.is_best(4.0)
    assert not feedback.is_best(2.0)


def test_popbo_ranks_a_failure_last() -> None:
    problem = PROBLEMS["branin"].load(None)
    optimizer = Feedback(problem, Setting("branin", "popbo", 3, 0), METHODS["popbo"])
    optimizer.tell({"x0": 0.0, "x1": 0.0}, 100.0)
    optimizer.tell({"x0": 1.0, "x1": 0.0}, None)
    optimizer.tell({"x0": 2.0, "x1": 3.0}, 10.0)
    suggestion = optimizer.optimizer.suggest(3)
    assert suggestion.incumbent == {"x0": 2.0, "x1": 3.0}


class Single(Problem):
    def score(self, parameters: Parameters) -> Any:
        return np.float32(parameters["x"])


class Diverging(Single):
    """Fails on the upper half, where it has no score."""

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        return None if parameters["x"] > 0.5 else self.score(parameters)

    def score(self, parameters: Parameters) -> Any:
        return parameters["x"] if parameters["x"] <= 0.5 else self.optimal_value


def loop(kind: type[Single], optimal_value: float | None = None) -> Loop:
    problem = kind(
        name="single",
        space=Space.read({"x": (0.0, 1.0)}),
        optimal_value=optimal_value,
    )
    setting = Setting("single", "random", 2, 0)
    return Loop(problem, setting, METHODS["random"], [], lambda: nullcontext())


@pytest.mark.parametrize("kind", ["evaluate", "score"])
def test_text_is_refused_and_an_array_of_one_number_is_not(kind: str) -> None:
    class Odd(Single):
        returned: Any = "0.5"

        def evaluate(self, parameters: Parameters, seed: int) -> Any:
            return self.returned if kind == "evaluate" else 1.0

        def score(self, parameters: Parameters) -> Any:
            return self.returned if kind == "score" else 1.0

    with pytest.raises(TypeError, match=f"{kind} has to return a number, not '0.5'"):
        loop(Odd).step(0)
    Odd.returned = np.array([0.5])
    record = loop(Odd).step(0)
    assert (record.observed if kind == "evaluate" else record.score) == 0.5


@pytest.mark.parametrize("score", [None, np.nan, np.inf])
def test_a_failed_point_need_not_have_a_score(score: float | None) -> None:
    running = loop(Diverging, score)
    records = [running.step(trial) for trial in range(8)]
    failed = [record for record in records if record.observed is None]
    assert 0 < len(failed) < len(records)
    for record in records:
        assert record.score == record.observed


def test_a_point_that_did_not_fail_has_a_score() -> None:
    class Odd(Single):
        def evaluate(self, parameters: Parameters, seed: int) -> float:
            return 1.0

        def score(self, parameters: Parameters) -> float:
            return np.nan

    with pytest.raises(ValueError, match=r"no finite score at {'x': .*did not fail"):
        loop(Odd).step(0)
