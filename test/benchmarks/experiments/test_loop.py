from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.experiments.loop import Feedback, Loop
from botorch_popbo.benchmarks.methods import METHODS, Method, Suggestion
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.space import Space

SETTING = Setting("branin", "told", 3, 0)


class Told:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.outcomes: list[tuple[Parameters, float]] = []

    def suggest(self, trial: int) -> Suggestion:
        raise NotImplementedError

    def observe(self, parameters: Parameters, observed: float) -> None:
        self.outcomes.append((parameters, observed))


def test_failures_are_told_as_the_worst_outcome_so_far() -> None:
    told = Told()
    problem, method = PROBLEMS["branin"].load(None), Method("told", "", lambda *_: told)
    feedback = Feedback(problem, SETTING, method)
    outcomes = [None, 3.0, None, 5.0, None, 1.0, None]
    for trial, observed in enumerate(outcomes):
        assert bool(feedback.outcomes) == (trial > 1)
        feedback.tell({"x": trial}, observed)
    # The first one had to wait for a success.
    expected = [(1, 3.0), (0, 3.0), (2, 3.0), (3, 5.0), (4, 5.0), (5, 1.0), (6, 5.0)]
    assert told.outcomes == [({"x": trial}, value) for trial, value in expected]


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


@pytest.mark.parametrize("score", [None, np.nan, np.inf])
def test_a_failed_point_need_not_have_a_score(score: float | None) -> None:
    running = loop(Diverging, score)
    records = [running.step(trial) for trial in range(8)]
    failed = [record for record in records if record.observed is None]
    assert 0 < len(failed) < len(records)
    for record in records:
        assert record.score == record.observed
