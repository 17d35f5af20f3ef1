from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.report.ranking import rank_in_groups
from botorch_popbo.benchmarks.report.summary import Summary

from .conftest import curve, summary


def traces(*ends: float) -> np.ndarray[Any, Any]:
    """Replications that come to their end after 30 evaluations, halfway."""
    return np.array([[9.0] * 10 + [end] * 11 for end in ends])


def grouped(group: str, first: list[float], second: list[float]) -> Summary:
    """Two methods after 20 initial points and 20 evaluations."""
    curves = [
        curve(
            method,
            *ends,
            traces=traces(*ends),
            evaluated=traces(*ends),
            recommended=traces(*(-end for end in ends)),
        )
        for method, ends in (("popbo", first), ("random", second))
    ]
    found = summary(*curves, initial=20, trials=20, seeds=len(first))
    return replace(found, problem=replace(found.problem, group=group))


EASY = grouped("easy", [1.0, 1.0], [2.0, 2.0])
HARD = [grouped("hard", [1.0, 2.0], [2.0, 1.0]), grouped("hard", [1.0], [1.0])]


def test_ranks_and_errors_are_those_of_a_hand_computation() -> None:
    found = rank_in_groups([EASY, *HARD])
    ranks = {
        (row.point, row.evaluations, row.group, row.method): (row.replications, row.rank)
        for row in found.itertuples()
    }
    for point, sign in (("best evaluated", 1), ("recommended", -1)):
        assert ranks[point, 30, "easy", "popbo"] == (2, 1.5 - 0.5 * sign)
        assert ranks[point, 30, "hard", "popbo"] == (3, 1.5)
        # Of popbo 1, 1 and 1, 2 and 1.5.
        assert ranks[point, 40, "all", "popbo"] == (5, pytest.approx(1.5 - 0.2 * sign))
    assert set(found["evaluations"]) == {20, 30, 40}
    later = found.query("group == 'hard' and method == 'random' and evaluations > 20")
    assert later["error"].tolist() == pytest.approx([0.5 / sqrt(3)] * 4)


def test_several_suites_are_a_group_each() -> None:
    assert {*rank_in_groups(HARD)["group"]} == {"hard"}
    suites = [grouped(name, [1.0, 1.0], [2.0, 2.0]) for name in ("coco easy", "coco hard", "own")]
    assert {*rank_in_groups(suites)["group"]} == {"coco", "own", "all"}
    assert {*rank_in_groups([*suites[:2], suites[0]])["group"]} == {"coco easy", "coco hard", "all"}


def test_without_groups_or_competitors_there_is_nothing() -> None:
    plain = replace(EASY, problem=replace(EASY.problem, group=""))
    assert rank_in_groups([plain]).empty
    assert rank_in_groups([replace(EASY, curves=EASY.curves[:1])]).empty
    assert rank_in_groups([]).empty
    # Groups of one problem each are not worth a table.
    assert {*rank_in_groups([EASY, grouped("hard", [1.0], [2.0])])["group"]} == {"all"}
