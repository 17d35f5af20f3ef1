import torch
from helpers.toy import toy_data

from botorch_popbo import (
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
)
from botorch_popbo.acquisition.feasibility import RankedConstraint

TEST_X = torch.rand(9, 1, 2, generator=torch.Generator().manual_seed(5), dtype=torch.double)


def models(border: float) -> tuple[PoissonRankModel, PoissonRankModel]:
    X, Y = toy_data(15)
    return PoissonRankModel(X, Y).fit(), PoissonRankModel(X, X[:, :1] - border).fit()


def middle() -> float:
    return float(toy_data(15)[0][:, 0].median())


def test_constraints_that_all_satisfy_change_nothing() -> None:
    objective, slack = models(-100.0)
    constrained = LogConstrainedExpectedUtilityImprovement(objective, [slack])
    assert torch.equal(constrained(TEST_X), LogExpectedUtilityImprovement(objective)(TEST_X))


def test_it_is_the_improvement_over_the_best_feasible_point_times_the_probability() -> None:
    objective, slack = models(middle())
    constrained = LogConstrainedExpectedUtilityImprovement(objective, [slack, slack])
    rate = objective.rate
    X = objective.rank_counts.X
    feasible = X[:, 0] >= middle()
    incumbent = rate.incumbent(feasible)
    assert bool(feasible[incumbent])
    plain = LogExpectedUtilityImprovement(objective)
    plain._incumbent = rate.X[incumbent]
    probability = RankedConstraint(slack).log_probability(TEST_X).squeeze(-1)
    torch.testing.assert_close(constrained(TEST_X), plain(TEST_X) + 2.0 * probability)


def test_without_a_feasible_point_only_the_probability_counts() -> None:
    objective, slack = models(100.0)
    constrained = LogConstrainedExpectedUtilityImprovement(objective, [slack])
    far = torch.tensor([[[0.111, 0.222]], [[0.777, 0.888]]], dtype=torch.double)
    probability = RankedConstraint(slack).log_probability(far).squeeze(-1)
    torch.testing.assert_close(constrained(far).diff(), probability.diff(), atol=1e-2, rtol=0.1)


def test_evaluated_and_pending_points_are_avoided() -> None:
    objective, slack = models(middle())
    pending = TEST_X[0]
    constrained = LogConstrainedExpectedUtilityImprovement(objective, [slack], X_pending=pending)
    known = torch.cat([pending, objective.rank_counts.X]).unsqueeze(-2)
    assert constrained(known).max() < constrained(TEST_X[1:]).max()
    assert constrained(pending.unsqueeze(0)).isneginf().all() or (
        constrained(pending.unsqueeze(0)) < constrained(TEST_X[1:]).min() - 1.0
    )


def test_gradients() -> None:
    objective, slack = models(middle())
    constrained = LogConstrainedExpectedUtilityImprovement(objective, [slack])
    X = TEST_X[:3].clone().requires_grad_()
    assert torch.autograd.gradcheck(constrained, (X,), atol=1e-4)
