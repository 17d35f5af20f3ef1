from typing import Any

import pytest
import torch
from helpers.peers import CONTINUOUS, MIXED, TABLE, check_members, check_reproducible

from botorch_popbo.benchmarks.methods.gp_mlp import METHODS
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting

(METHOD,) = METHODS


@pytest.mark.parametrize("problem", [CONTINUOUS, MIXED, TABLE], ids=lambda problem: problem.name)
def test_suggestions_are_members_of_the_space(problem: Problem) -> None:
    check_members(METHOD, problem)


def test_seed_and_outcomes_decide_alone() -> None:
    check_reproducible(METHOD, MIXED)


def test_the_network_learns_the_outcomes() -> None:
    optimizer: Any = METHOD.start(MIXED, Setting("mixed", "gp-mlp", 40, 0))
    points = [uniform_point(MIXED.parameters, "mixed", 0, trial) for trial in range(60)]
    for point in points[:40]:
        optimizer.observe(point, MIXED.score(point))
    X = torch.stack([optimizer.encoding.encode(point) for point in points])
    Y = -torch.tensor([[MIXED.score(point)] for point in points], dtype=torch.float64)
    torch.manual_seed(0)
    posterior = optimizer.fit(X[:40], Y[:40], 0).posterior(X[40:])
    learned = torch.corrcoef(torch.cat([posterior.mean, Y[40:]], dim=-1).T)[0, 1]
    assert learned > 0.8
    assert (posterior.variance > 0).all()
