from dataclasses import replace

import numpy as np
import pytest

from botorch_popbo.benchmarks.report.ranking import rank_methods

from .conftest import curve, summary

FIRST = summary(curve("popbo", 1, 1, 2), curve("random", 3, 2, 1), curve("cmaes", 2, 2, 3))
SECOND = summary(
    curve("popbo", 7.0, 8.0),
    curve("random", 8.0, 9.0),
    curve("cmaes", 9.0, 9.0),
    minimize=False,
)


def test_ranks_are_those_of_a_hand_computation() -> None:
    # First: popbo 1, 1, 2; random 3, 2.5, 1; sobol 2, 2.5, 3. Second, where high is good:
    # popbo 3, 3; random 2, 1.5; sobol 1, 1.5.
    found = rank_methods([FIRST, SECOND])
    assert found["mean"].to_dict() == pytest.approx(
        {
            "cmaes": (7.5 / 3 + 1.25) / 2,
            "random": (6.5 / 3 + 1.75) / 2,
            "popbo": (4 / 3 + 3) / 2,
        }
    )
    assert found["mean"].is_monotonic_increasing
    assert found.equals(rank_methods([FIRST, SECOND]))
    for rank in found.itertuples():
        assert 1 <= rank.low <= rank.mean <= rank.high <= 3


def test_the_interval_is_that_of_all_resamples() -> None:
    # One problem and two seeds, ranked (1, 2) and (2, 1): a quarter of the resamples has the mean
    # 1, a quarter 2 and half of them 1.5, so that both tails of 2.5 % end at the extremes.
    found = rank_methods([summary(curve("popbo", 1, 2), curve("random", 2, 1))])
    assert found.to_numpy().tolist() == [[1.5, 1.0, 2.0]] * 2
    sure = rank_methods([summary(curve("popbo", 1, 1), curve("random", 2, 2))] * 3)
    assert sure.to_numpy().tolist() == [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]


def test_only_methods_and_seeds_that_are_everywhere_are_ranked() -> None:
    lacking = summary(curve("popbo", 1, 2), curve("cmaes", 2, 1), curve("gp-ucb", 3, 3))
    assert set(rank_methods([FIRST, lacking]).index) == {"popbo", "cmaes"}
    assert rank_methods([summary(curve("popbo", 1.0))]).empty
    assert rank_methods([]).empty
    lost = curve("random", 3.0)
    found = rank_methods([summary(curve("popbo", 1, 9, 9), lost)])
    assert found["mean"].to_dict() == {"popbo": 1, "random": 2}
    apart = replace(lost, seeds=(7,))
    assert rank_methods([summary(curve("popbo", 1, 9, 9), apart)]).empty
    assert np.isfinite(found.to_numpy()).all()


def test_a_replication_without_a_result_ranks_last() -> None:
    nothing = float("nan")
    for minimize in (True, False):
        curves = curve("popbo", 1, 1, nothing), curve("random", 1, nothing, nothing)
        found = rank_methods([summary(*curves, minimize=minimize)])
        # The seed on which neither has one says nothing.
        assert found["mean"].to_dict() == {"popbo": 1.25, "random": 1.75}
