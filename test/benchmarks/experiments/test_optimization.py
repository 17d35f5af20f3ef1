from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.experiments.loop import INITIAL_DESIGN, Loop
from botorch_popbo.benchmarks.methods import METHODS, Method
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem, ProblemEntry
from botorch_popbo.benchmarks.report import Summary
from botorch_popbo.benchmarks.report.text import warnings
from botorch_popbo.benchmarks.run.records import append_record
from botorch_popbo.benchmarks.settings import Parameters, Setting, TrialRecord
from botorch_popbo.space import Space

from ..conftest import MakeCampaign, only, run, trial
from ..report.conftest import records


def timeless(found: list[TrialRecord]) -> list[TrialRecord]:
    return [replace(r, optimizer_seconds=0.0, evaluation_seconds=0.0) for r in found]


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        *((method, "branin") for method in ("gp-logei", "popbo-eri", "optuna-gp")),
        ("random", "hartmann6-outliers"),
        ("botorch-gp", "branin-gaussian"),
        *((method, "branin-failures") for method in ("popbo", "botorch-gp")),
        ("popbo-rlcb", "branin-ranks"),
    ],
)
def test_interrupted_and_resumed_is_the_same_as_uninterrupted(
    campaign: MakeCampaign, method: str, problem: str
) -> None:
    whole = run(campaign(method, problem, output="whole"))
    part = campaign(method, problem, output="pieces")
    for calls in (2, 5, 100):
        pieces = run(part, go_on=map(bool, range(calls, -1, -1)).__next__)
        # A scrap of a line, as a killed process may leave it.
        if len(pieces) < 7:
            path = part.path(only(part))
            path.write_bytes(path.read_bytes() + b'{"problem": "bra')
    assert len(whole) == 7
    assert timeless(pieces) == timeless(whole)


def test_methods_share_the_initial_design_and_nothing_else(campaign: MakeCampaign) -> None:
    first, second = (run(campaign(method))[:5] for method in ("random", "optuna-tpe"))
    points = [[r.parameters for r in found] for found in (first, second)]
    assert points[0][:3] == points[1][:3]
    assert points[0][3:] != points[1][3:]
    assert [r.generator for r in first] == [INITIAL_DESIGN] * 3 + ["random"] * 2


def test_the_incumbent_of_a_model_is_scored(campaign: MakeCampaign) -> None:
    found = run(campaign("botorch-gp", problem="branin-gaussian"))
    assert [r.incumbent_score for r in found[:3]] == [None] * 3
    for number in range(3, 7):
        assert found[number].incumbent_score in [r.score for r in found[:number]]
    assert [r.incumbent_score for r in run(campaign("random"))] == [None] * 7


class Told:
    """An optimizer without a notion of failures, which keeps what it is told."""

    def __init__(self, *_: object) -> None:
        self.outcomes: list[tuple[object, float]] = []

    def observe(self, parameters: Parameters, observed: float) -> None:
        self.outcomes.append((parameters["x"], observed))


def loop(problem: Problem, method: Any, earlier: list[TrialRecord]) -> Any:
    setting = Setting(problem.name, method.name, 2, 0)
    return Loop(problem, setting, method, earlier, lambda: nullcontext())


def test_failures_are_told_as_the_worst_outcome_so_far() -> None:
    outcomes = [None, 3.0, None, 5.0, None, 1.0, None]
    earlier = [trial(index, outcome, outcome) for index, outcome in enumerate(outcomes)]
    start: Any = Told
    told = loop(PROBLEMS["branin"].load(None), Method("told", "", start), earlier).optimizer
    # The first one had to wait for a success.
    expected = [(1, 3.0), (0, 3.0), (2, 3.0), (3, 5.0), (4, 5.0), (5, 1.0), (6, 5.0)]
    assert told.outcomes == expected


class Diverging(Problem):
    """Fails on the upper half, where it has no score; elsewhere that is a number of NumPy's."""

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        return None if parameters["x"] > 0.5 else self.score(parameters)

    def score(self, parameters: Parameters) -> Any:
        return np.float32(parameters["x"]) if parameters["x"] <= 0.5 else self.optimal_value


@pytest.mark.parametrize("score", [None, np.nan, np.inf])
def test_a_failed_point_need_not_have_a_score(score: float | None) -> None:
    space = Space.read({"x": (0.0, 1.0)})
    running = loop(
        Diverging(name="diverging", space=space, optimal_value=score), METHODS["random"], []
    )
    found = [running.step(index) for index in range(8)]
    assert 0 < len([record for record in found if record.observed is None]) < 8
    assert all(record.score == record.observed for record in found)


def summarized(folder: Path, *replications: list[TrialRecord], methods: int = 1) -> Summary:
    """Two initial points and three evaluations of Branin."""
    names, seeds = ("random", "popbo")[:methods], len(replications)
    settings: Any = {"initial": {"branin": 2}, "methods": names, "trials": 3, "seeds": seeds}
    campaign = Optimization(**settings, jobs=1, output=folder)
    (folder / "records").mkdir()
    for cell, found in zip(campaign.cells(), replications, strict=False):
        for record in found:
            append_record(campaign.path(cell), cell, record)
    (summary,) = campaign.summaries()
    return summary


def test_the_numbers_are_those_of_a_hand_computation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shifted = replace(PROBLEMS["branin"].load(None), optimal_value=1.0)
    monkeypatch.setitem(PROBLEMS, "branin", ProblemEntry("branin", "", lambda _: shifted))
    first, second = [9.0, 8.0, 9.0, 4.0, 6.0, 1.5], [7.0, 6.0, 5.0, 5.0, 3.0]
    lists = (first, second, first[:4])
    summary = summarized(tmp_path, *(records([*x]) for x in lists), methods=2)
    (curve,) = summary.curves
    # The third replication is not complete, and trial 5 of the first was not asked for:
    # regrets 7, 7, 3, 3 and 5, 4, 4, 2.
    assert curve.seeds == (0, 1)
    np.testing.assert_allclose(curve.mean, [6, 5.5, 3.5, 2.5])
    # Two numbers that differ by d have a standard error of d / 2.
    np.testing.assert_allclose(curve.error, [1, 1.5, 0.5, 0.5])
    np.testing.assert_allclose(curve.results, [3, 2])
    # The function has no noise, so the best point is the best observed.
    np.testing.assert_allclose(curve.traces[:, -1], [3, 2])
    np.testing.assert_allclose(curve.seconds, [0, 1, 2.5, 4.5])
    assert curve.seconds_per_suggestion == pytest.approx(1.5)
    # One replication is lost, so the mean is not compared.
    assert summary.whole == []
    assert summary.without == ("popbo",)
    # Trials of two commits are of one version.
    assert curve.versions == ("torch 2",)
    assert [line for line in warnings([summary]) if "versions" in line] == []


def test_where_nothing_succeeded_nothing_is_compared(tmp_path: Path) -> None:
    failed = records([None] * 5, [1.0] * 5)
    late = records([None, None, None, None, 9.0], [1.0, 1.0, 1.0, 1.0, 9.0])
    summary = summarized(tmp_path, failed, late)
    (curve,) = summary.curves
    assert curve.num_failed == 1
    better = replace(curve, method="popbo", num_failed=0, traces=curve.traces + 1.0)
    both = replace(summary, curves=(curve, better))
    assert both.whole == [better]
    assert any("no trial succeeded in 1 of 2" in line for line in warnings([both]))
