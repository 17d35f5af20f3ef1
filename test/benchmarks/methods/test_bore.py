import math

import pytest
import torch
from helpers.peers import CONTINUOUS, MIXED, TABLE, check_members, check_reproducible

from botorch_popbo.benchmarks.methods.bore import METHODS, is_good
from botorch_popbo.benchmarks.problems import Problem

(METHOD,) = METHODS


@pytest.mark.parametrize("problem", [CONTINUOUS, MIXED, TABLE], ids=lambda problem: problem.name)
def test_suggestions_are_members_of_the_space(problem: Problem) -> None:
    check_members(METHOD, problem)


def test_seed_and_outcomes_decide_alone() -> None:
    check_reproducible(METHOD, MIXED)


@pytest.mark.parametrize("number", [1, 2, 4, 5, 12, 13])
def test_the_best_quarter_is_good(number: int) -> None:
    Y = torch.rand(number, 1, generator=torch.Generator().manual_seed(0))
    best = sorted(Y.squeeze(-1).tolist())[-math.ceil(number / 4) :]
    assert sorted(Y[is_good(Y)].squeeze(-1).tolist()) == best


def test_equal_outcomes_leave_a_quarter() -> None:
    assert int(is_good(torch.zeros(12, 1)).sum()) == 3
