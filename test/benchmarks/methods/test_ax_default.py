import pytest
from helpers.peers import CONTINUOUS, MIXED, TABLE, check_members, check_reproducible

from botorch_popbo.benchmarks.methods.ax_default import METHODS
from botorch_popbo.benchmarks.problems import Problem

(METHOD,) = METHODS


@pytest.mark.parametrize("problem", [CONTINUOUS, MIXED, TABLE], ids=lambda problem: problem.name)
def test_suggestions_are_members_of_the_space(problem: Problem) -> None:
    check_members(METHOD, problem)


def test_seed_and_outcomes_decide_alone() -> None:
    check_reproducible(METHOD, MIXED)
