import pytest
import torch
from botorch.exceptions import UnsupportedError
from botorch.optim import optimize_acqf
from helpers.toy import BOUNDS, toy_data

from botorch_popbo import (
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankingGP,
)
from botorch_popbo.acquisition._ranked_constraint import RankedConstraint

TEST_X = toy_data(9, seed=5)[0].unsqueeze(-2)
ALL, MIDDLE, NONE = -100.0, float(toy_data(15)[0][:, 0].median()), 100.0


def slack_model(border: float) -> RankingGP:
    """Of a constraint that points right of the border satisfy."""
    X, _ = toy_data(15)
    return RankingGP(X, X[:, :1] - border).fit()


def test_constraints_that_all_satisfy_change_nothing(gaussian_model: RankingGP) -> None:
    constrained = LogConstrainedExpectedUtilityImprovement(gaussian_model, [slack_model(ALL)])
    assert torch.equal(constrained(TEST_X), LogExpectedUtilityImprovement(gaussian_model)(TEST_X))


def test_it_is_the_improvement_over_the_best_feasible_point_times_the_probability(
    gaussian_model: RankingGP,
) -> None:
    slack = slack_model(MIDDLE)
    is_feasible = gaussian_model.known_X[:, 0] >= MIDDLE
    incumbent = gaussian_model.incumbent_among(is_feasible)
    assert incumbent[0] >= MIDDLE
    assert not torch.equal(incumbent, gaussian_model.incumbent)
    plain = LogExpectedUtilityImprovement(gaussian_model)
    plain._incumbent = gaussian_model.encode(incumbent.unsqueeze(0)).squeeze(0)
    constrained = LogConstrainedExpectedUtilityImprovement(gaussian_model, [slack, slack])
    probability = RankedConstraint(slack)(TEST_X).squeeze(-1)
    torch.testing.assert_close(constrained(TEST_X), plain(TEST_X) + 2.0 * probability)


def test_without_a_feasible_point_only_the_probability_counts(gaussian_model: RankingGP) -> None:
    slack = slack_model(NONE)
    constrained = LogConstrainedExpectedUtilityImprovement(gaussian_model, [slack])
    torch.testing.assert_close(constrained(TEST_X), RankedConstraint(slack)(TEST_X).squeeze(-1))


@pytest.mark.parametrize("objectives", [1, 2])
def test_without_a_feasible_point_several_are_sought_apart(
    gaussian_model: RankingGP, objectives: int
) -> None:
    function = (
        LogConstrainedExpectedUtilityImprovement(gaussian_model, [slack_model(NONE)])
        if objectives == 1
        else LogExpectedFrontImprovement([gaussian_model] * 2, [slack_model(NONE)])
    )
    points, _ = optimize_acqf(
        function, BOUNDS, q=3, sequential=True, num_restarts=4, raw_samples=64, options={"seed": 0}
    )
    assert torch.pdist((points - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0])).min() > 0.01


@pytest.mark.parametrize("border", [MIDDLE, NONE])
def test_gradients(gaussian_model: RankingGP, border: float) -> None:
    constrained = LogConstrainedExpectedUtilityImprovement(gaussian_model, [slack_model(border)])
    X = TEST_X[:3].clone().requires_grad_()
    assert torch.autograd.gradcheck(constrained, (X,), atol=1e-4)


def test_a_network_of_slacks_is_refused(
    gaussian_model: RankingGP, short_model: PoissonRankModel
) -> None:
    with pytest.raises(UnsupportedError, match="from_constrained_outcomes"):
        LogConstrainedExpectedUtilityImprovement(gaussian_model, [short_model])
