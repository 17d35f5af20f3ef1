from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.problems import PROBLEMS, ProblemEntry
from botorch_popbo.benchmarks.report import Summary
from botorch_popbo.benchmarks.report.text import warnings
from botorch_popbo.benchmarks.run.records import append_record
from botorch_popbo.benchmarks.settings import TrialRecord

from ..report.conftest import records


def summarized(folder: Path, *replications: list[TrialRecord], methods: int = 1) -> Summary:
    """Two initial points and three evaluations of Branin."""
    campaign = Optimization(
        initial={"branin": 2},
        methods=("random", "popbo")[:methods],
        trials=3,
        seeds=len(replications),
        jobs=1,
        output=folder,
    )
    (folder / "records").mkdir()
    for cell, found in zip(campaign.cells(), replications, strict=False):
        for record in found:
            append_record(campaign.path(cell), cell, record)
    (found_summary,) = campaign.summaries()
    return found_summary


def test_the_numbers_are_those_of_a_hand_computation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shifted = replace(PROBLEMS["branin"].load(None), optimal_value=1.0)
    monkeypatch.setitem(PROBLEMS, "branin", ProblemEntry("", lambda _: shifted))
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
    np.testing.assert_allclose(curve.best, [3, 2])
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
