import pytest
import torch
from helpers.peers import (
    CONTINUOUS,
    MIXED,
    TABLE,
    assert_member,
    check_members,
    check_reproducible,
)

from botorch_popbo.benchmarks.methods.eubo import METHODS, comparisons
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting

(METHOD,) = METHODS


@pytest.mark.parametrize("problem", [CONTINUOUS, MIXED, TABLE], ids=lambda problem: problem.name)
def test_suggestions_are_members_of_the_space(problem: Problem) -> None:
    check_members(METHOD, problem)


def test_seed_and_outcomes_decide_alone() -> None:
    check_reproducible(METHOD, MIXED)


def test_comparisons_tell_the_order_and_nothing_else() -> None:
    Y = torch.tensor([[3.0], [1.0], [3.0], [2.0]])
    pairs = {(i, j) for i in range(4) for j in range(4) if Y[i] > Y[j]}
    told = comparisons(Y)
    assert len(told) == len(pairs)
    assert {tuple(pair) for pair in told.tolist()} == pairs
    assert torch.equal(comparisons(Y.exp()), told)


def test_equal_outcomes_leave_a_random_point() -> None:
    optimizer = METHOD.start(MIXED, Setting("mixed", "eubo", 2, 0))
    for trial in range(2):
        optimizer.observe(uniform_point(MIXED.parameters, "mixed", 0, trial), 1.0)
    points = [optimizer.suggest(trial).parameters for trial in (2, 3)]
    assert points[0] != points[1]
    assert_member(MIXED, points[0])
