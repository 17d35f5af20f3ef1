from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from botorch_popbo.benchmarks.records import TrialRecord, append_record, records_path

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report._table import warnings
from botorch_popbo.benchmarks.report.summary import summarize
from botorch_popbo.benchmarks.settings import Campaign


def records(observed: list[float], scores: list[float | None]) -> list[TrialRecord]:
    return [
        TrialRecord(
            trial=trial,
            parameters={"x": trial},
            observed=value,
            score=score,
            incumbent_score=None,
            optimizer_seconds=0.5 * trial,
            evaluation_seconds=0.0,
            generator="random" if trial < 4 else "Sobol",
            versions={"torch": "2"},
        )
        for trial, (value, score) in enumerate(zip(observed, scores, strict=True))
    ]


@pytest.fixture
def branin() -> Problem:
    return PROBLEMS["branin"].load(None)


def test_the_numbers_are_those_of_a_hand_computation(branin: Problem, tmp_path: Path) -> None:
    campaign = Campaign({"branin": 2}, ("random", "sobol"), 3, 3, 1, tmp_path, None)
    (tmp_path / "records").mkdir()
    problem = replace(branin, optimal_value=1.0)
    first, second = [9.0, 8.0, 9.0, 4.0, 6.0, 1.5], [7.0, 6.0, 5.0, 5.0, 3.0]
    lists = (first, second, first[:4])
    random = [s for s in campaign.settings() if s.method == "random"]
    for setting, observed in zip(random, lists, strict=True):
        for record in records(observed, [*observed]):
            append_record(records_path(tmp_path, setting), setting, record)
    (summary,) = summarize(campaign, {"branin": problem})
    (curve,) = summary.curves
    # The third replication is not complete, and trial 5 of the first was not asked for:
    # regrets 7, 7, 3, 3 and 5, 4, 4, 2.
    assert curve.num_seeds == 2
    np.testing.assert_allclose(curve.mean, [6, 5.5, 3.5, 2.5])
    # Two numbers that differ by d have a standard error of d / 2.
    np.testing.assert_allclose(curve.error, [1, 1.5, 0.5, 0.5])
    # The function has no noise, so the best point is the best observed.
    assert (curve.best_evaluated, curve.best_evaluated_error) == (2.5, 0.5)
    np.testing.assert_allclose(curve.seconds, [0, 1, 2.5, 4.5])
    assert curve.seconds_per_suggestion == pytest.approx(1.5)
    np.testing.assert_allclose(curve.seconds_by_suggestion, [1, 1.5, 2])
    assert [(end.seed, end.result, end.best_evaluated) for end in curve.ends] == [
        (0, 3.0, 3.0),
        (1, 2.0, 2.0),
    ]
    assert all(end.seconds_per_suggestion == pytest.approx(1.5) for end in curve.ends)
    assert curve.num_fallbacks == 2
    # One replication is lost, so the mean is not compared.
    assert summary.best == set()
    assert summary.without == ("sobol",)


def test_one_replication_has_no_standard_error(branin: Problem, tmp_path: Path) -> None:
    campaign = Campaign({"branin": 2}, ("random",), 3, 1, 1, tmp_path, None)
    (tmp_path / "records").mkdir()
    (setting,) = campaign.settings()
    for record in records([3.0] * 5, [3.0] * 5):
        append_record(records_path(tmp_path, setting), setting, record)
    (summary,) = summarize(campaign, {"branin": branin})
    assert np.isnan(summary.curves[0].error).all()
    assert np.isnan(summary.curves[0].best_evaluated_error)


def test_the_best_evaluated_needs_every_score(branin: Problem, tmp_path: Path) -> None:
    campaign = Campaign({"branin": 2}, ("random",), 3, 2, 1, tmp_path, None)
    (tmp_path / "records").mkdir()
    scores: list[list[float | None]] = [[3.0] * 5, [3.0, None, None, None, None]]
    for setting, known in zip(campaign.settings(), scores, strict=True):
        for record in records([3.0] * 5, known):
            append_record(records_path(tmp_path, setting), setting, record)
    (summary,) = summarize(campaign, {"branin": branin})
    assert np.isnan(summary.curves[0].best_evaluated)
    assert np.isfinite(summary.curves[0].mean).all()


def test_trials_of_two_commits_are_of_one_version(branin: Problem, tmp_path: Path) -> None:
    campaign = Campaign({"branin": 1}, ("random",), 1, 1, 1, tmp_path, None)
    (setting,) = campaign.settings()
    (tmp_path / "records").mkdir()
    for record, commit in zip(records([2.0, 1.0], [2.0, 1.0]), "ab", strict=True):
        made_with = {**record.versions, "commit": commit}
        append_record(records_path(tmp_path, setting), setting, replace(record, versions=made_with))
    (summary,) = summarize(campaign, {"branin": branin})
    assert summary.curves[0].versions == ("torch 2",)
    assert warnings([summary]) == []
