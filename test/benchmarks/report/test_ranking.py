from dataclasses import replace
from math import nan, sqrt
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.report.ranking import comparable, rank_in_groups, ranks
from botorch_popbo.benchmarks.report.summary import Summary

from .conftest import curve, summary

FIRST = summary(curve("popbo", 1, 1, 2), curve("random", 3, 2, 1), curve("cmaes", 2, 2, 3))
SECOND = summary(
    *(curve("popbo", 7.0, 8.0), curve("random", 8.0, 9.0), curve("cmaes", 9.0, 9.0)), minimize=False
)


def ranked(found: Summary) -> list[list[float]]:
    """Ranks by where the methods ended, ``seeds x methods``."""
    return np.asarray(ranks(found, comparable([found]), "traces")).tolist()


def test_ranks_are_those_of_a_hand_computation() -> None:
    assert ranked(FIRST) == [[1, 3, 2], [1, 2.5, 2.5], [2, 1, 3]]
    # Here high is good.
    assert ranked(SECOND) == [[3, 2, 1], [3, 1.5, 1.5]]
    found = rank_in_groups([FIRST, SECOND]).query("point == 'best evaluated' and evaluations == 13")
    assert found["rank"].tolist() == pytest.approx([10 / 5] * 3)
    assert {*found["group"]} == {"functions"}


def test_only_methods_and_seeds_that_are_everywhere_are_ranked() -> None:
    lacking = summary(curve("popbo", 1, 2), curve("cmaes", 2, 1), curve("gp-ucb", 3, 3))
    assert {*rank_in_groups([FIRST, lacking])["method"]} == {"popbo", "cmaes"}
    assert rank_in_groups([FIRST]).empty
    lost = curve("random", 3.0)
    assert ranked(summary(curve("popbo", 1, 9, 9), lost)) == [[1, 2]]
    assert ranked(summary(curve("popbo", 1, 9, 9), replace(lost, seeds=(7,)))) == []


@pytest.mark.parametrize("minimize", [True, False])
def test_a_replication_without_a_result_ranks_last(minimize: bool) -> None:
    curves = curve("popbo", 1, 1, nan), curve("random", 1, nan, nan)
    # The seed on which neither has one says nothing.
    assert ranked(summary(*curves, minimize=minimize)) == [[1.5, 1.5], [1, 2]]


def traces(ends: list[float], sign: float = 1.0) -> np.ndarray[Any, Any]:
    """Replications that come to their end after 30 evaluations, halfway."""
    return np.array([[9.0] * 10 + [sign * end] * 11 for end in ends])


def grouped(group: str, first: list[float], second: list[float]) -> Summary:
    """Two methods after 20 initial points and 20 evaluations; by recommendations the other way."""
    curves = [
        curve(*(method, *ends), evaluated=traces(ends), recommended=traces(ends, sign=-1.0))
        for method, ends in (("popbo", first), ("random", second))
    ]
    found = summary(*curves, initial=20, trials=20, seeds=len(first))
    return replace(found, problem=replace(found.problem, group=group))


EASY = grouped("easy", [1.0, 1.0], [2.0, 2.0])
HARD = [grouped("hard", [1.0, 2.0], [2.0, 1.0]), grouped("hard", [1.0], [1.0])]


def test_ranks_of_groups_are_those_of_a_hand_computation() -> None:
    found = rank_in_groups([EASY, *HARD])
    rows = {
        (row.point, row.evaluations, row.group): (row.replications, row.rank)
        for row in found[found["method"] == "popbo"].itertuples()
    }
    for point, sign in (("best evaluated", 1), ("recommended", -1)):
        assert rows[point, 30, "easy"] == (2, 1.5 - 0.5 * sign)
        assert rows[point, 30, "hard"] == (3, 1.5)
        # Of popbo 1, 1 and 1, 2 and 1.5.
        assert rows[point, 40, "all"] == (5, pytest.approx(1.5 - 0.2 * sign))
    assert set(found["evaluations"]) == {20, 30, 40}
    later = found.query("group == 'hard' and method == 'random' and evaluations > 20")
    assert later["error"].tolist() == pytest.approx([0.5 / sqrt(3)] * 4)


def test_several_suites_are_a_group_each() -> None:
    suites = [grouped(name, [1.0, 1.0], [2.0, 2.0]) for name in ("coco easy", "coco hard", "own")]
    plain = replace(EASY, problem=replace(EASY.problem, group=""))
    for found, groups in (
        (HARD, {"hard"}),
        (suites, {"coco", "own", "all"}),
        ([*suites[:2], suites[0]], {"coco easy", "coco hard", "all"}),
        # Groups of one problem each are not worth a table.
        ([EASY, grouped("hard", [1.0], [2.0])], {"all"}),
        # Without groups or competitors there is nothing.
        ([plain], set()),
        ([replace(EASY, curves=EASY.curves[:1])], set()),
        ([], set()),
    ):
        assert {*rank_in_groups(found)["group"]} == groups
