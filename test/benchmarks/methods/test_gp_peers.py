from dataclasses import replace
from statistics import NormalDist
from typing import Any

import pytest
import torch
from helpers.peers import (
    CONTINUOUS,
    MIXED,
    TABLE,
    SumProblem,
    assert_member,
    check_members,
    check_reproducible,
    run,
)

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import gp_peers
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.gp_peers import METHODS, normal_scores
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting

LCB, COPULA, SAAS = METHODS


class Stretched(SumProblem):
    def score(self, parameters: Parameters) -> float:
        return float(super().score(parameters) ** 9 - 1e6)


@pytest.mark.parametrize("method", [LCB, COPULA], ids=lambda method: method.name)
@pytest.mark.parametrize("problem", [CONTINUOUS, MIXED, TABLE], ids=lambda problem: problem.name)
def test_suggestions_are_members_of_the_space(method: Method, problem: Problem) -> None:
    check_members(method, problem)


@pytest.mark.parametrize("method", [LCB, COPULA], ids=lambda method: method.name)
def test_seed_and_outcomes_decide_alone(method: Method) -> None:
    check_reproducible(method, MIXED)


def test_the_copula_sees_the_order_of_outcomes_alone() -> None:
    stretched = Stretched(**vars(CONTINUOUS))
    assert run(COPULA, stretched) == run(COPULA, CONTINUOUS)
    assert run(LCB, stretched) != run(LCB, CONTINUOUS)


def test_scores_are_normal_quantiles_of_ranks() -> None:
    Y = torch.tensor([[5.0], [-1.0], [5.0], [9.0]], dtype=torch.float64)
    levels = [2.5, 1.0, 2.5, 4.0]
    expected = [[NormalDist().inv_cdf((rank - 0.5) / 4)] for rank in levels]
    torch.testing.assert_close(normal_scores(Y), torch.tensor(expected, dtype=torch.float64))


def test_the_bound_is_two_deviations_above_the_mean() -> None:
    optimizer: Any = LCB.start(CONTINUOUS, Setting("continuous", LCB.name, 6, 0))
    X = torch.rand(6, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    model = optimizer.fit(X, X.sum(-1, keepdim=True), 0)
    new = torch.full((1, 1, 2), 0.4, dtype=torch.float64)
    posterior = model.posterior(new)
    bound = posterior.mean + 2 * posterior.variance.sqrt()
    acquisition = optimizer.acquisition(model, X, X.sum(-1))
    assert float(acquisition(new)) == pytest.approx(float(bound))


def test_without_numpyro_a_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gp_peers, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install numpyro"):
        SAAS.start(MIXED, Setting("mixed", "saasbo", 6, 0))


def test_sparse_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpyro")
    monkeypatch.setattr(
        gp_peers, "_NUTS", {"warmup_steps": 8, "num_samples": 8, "thinning": 4, "max_tree_depth": 3}
    )
    problem = replace(TABLE, parameters=MIXED.parameters[-3:])
    (suggestion,) = first = run(SAAS, problem, count=1)
    assert_member(problem, suggestion.parameters)
    assert run(SAAS, problem, count=1, resume=True) == first
