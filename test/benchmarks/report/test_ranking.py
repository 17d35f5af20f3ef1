from dataclasses import replace

import numpy as np
import pytest

from botorch_popbo.benchmarks.report.ranking import comparable, rank_in_groups, ranks
from botorch_popbo.benchmarks.report.summary import Summary

from .conftest import curve, summary

FIRST = summary(curve("popbo", 1, 1, 2), curve("random", 3, 2, 1), curve("cmaes", 2, 2, 3))
SECOND = summary(
    curve("popbo", 7.0, 8.0),
    curve("random", 8.0, 9.0),
    curve("cmaes", 9.0, 9.0),
    minimize=False,
)


def ranked(found: Summary) -> list[list[float]]:
    """Ranks by where the methods ended, ``seeds x methods``."""
    return np.asarray(ranks(found, comparable([found]), lambda c: c.results)).tolist()


def test_ranks_are_those_of_a_hand_computation() -> None:
    assert ranked(FIRST) == [[1, 3, 2], [1, 2.5, 2.5], [2, 1, 3]]
    # Here high is good.
    assert ranked(SECOND) == [[3, 2, 1], [3, 1.5, 1.5]]
    found = rank_in_groups([FIRST, SECOND]).query("point == 'best evaluated' and evaluations == 13")
    assert found.set_index("method")["rank"].to_dict() == pytest.approx(
        {"popbo": 10 / 5, "random": 10 / 5, "cmaes": 10 / 5}
    )
    assert {*found["group"]} == {"functions"}


def test_only_methods_and_seeds_that_are_everywhere_are_ranked() -> None:
    lacking = summary(curve("popbo", 1, 2), curve("cmaes", 2, 1), curve("gp-ucb", 3, 3))
    assert {*rank_in_groups([FIRST, lacking])["method"]} == {"popbo", "cmaes"}
    assert rank_in_groups([FIRST]).empty
    lost = curve("random", 3.0)
    assert ranked(summary(curve("popbo", 1, 9, 9), lost)) == [[1, 2]]
    assert ranked(summary(curve("popbo", 1, 9, 9), replace(lost, seeds=(7,)))) == []


def test_a_replication_without_a_result_ranks_last() -> None:
    nothing = float("nan")
    for minimize in (True, False):
        curves = curve("popbo", 1, 1, nothing), curve("random", 1, nothing, nothing)
        # The seed on which neither has one says nothing.
        assert ranked(summary(*curves, minimize=minimize)) == [[1.5, 1.5], [1, 2]]
