import pytest
import torch
from helpers.acquisition import Kind
from helpers.exact_poisson import ExactLaw
from helpers.toy import split_points, toy_data
from torch.autograd import gradcheck

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
    PoissonRankPosterior,
    RankingGP,
    RankModel,
)
from botorch_popbo.likelihoods import truncated_poisson

pytestmark = pytest.mark.usefixtures("only_known_points_are_near")

KINDS = pytest.mark.parametrize("kind", [ExpectedRankingImprovement, LogExpectedRankingImprovement])
INFINITE = torch.tensor(torch.inf, dtype=torch.float64)


@pytest.mark.parametrize("K_m", [1, 2, 5, 12])
@pytest.mark.parametrize(("network", "limit"), [("short_model", 9), ("long_model", 500)])
def test_promising_points_of_a_network_have_the_improvement_summed_over_ranks(
    network: str, limit: int, K_m: int, request: pytest.FixtureRequest
) -> None:
    model = request.getfixturevalue(network)
    X = split_points(model, share=0.4)[0][:20].unsqueeze(-2)
    value = ExpectedRankingImprovement(model, K_m=K_m)(X)
    for improvement, log_rate in zip(value, model.posterior(X).log_rate.flatten(), strict=True):
        law = ExactLaw(log_rate.item(), limit)  # 500 is far beyond all that is likely
        expected = sum((K_m - k) * law.prob(k) for k in range(K_m + 1))
        assert improvement.item() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("K_m", [1, 5, 30])
def test_improvement_over_a_gaussian_process(gaussian_model: RankingGP, K_m: int) -> None:
    X = toy_data(50, seed=3)[0].unsqueeze(-2).requires_grad_()
    support = torch.arange(16.0).double()
    law = gaussian_model.rank_law(gaussian_model.encode(X))
    probability = law.log_prob(support).exp()
    expected = (probability * (K_m - support).clamp_min(0.0)).sum(-1).squeeze(-1)
    value = ExpectedRankingImprovement(gaussian_model, K_m=K_m)(X)
    torch.testing.assert_close(value, expected, rtol=1e-5, atol=1e-7)
    logarithm = LogExpectedRankingImprovement(gaussian_model, K_m=K_m)(X)
    likely = expected > 1e-3
    torch.testing.assert_close(logarithm[likely], expected[likely].log(), rtol=1e-4, atol=1e-6)
    assert logarithm.isfinite().all()  # also where every probability underflows
    assert torch.autograd.grad(logarithm.sum(), X)[0].isfinite().all()


def test_promising_points_lie_between_zero_and_the_worst_tolerable_rank(model: RankModel) -> None:
    X, _ = split_points(model, share=0.4)
    order = model.rank_posterior(X).mean.flatten().argsort()
    value = ExpectedRankingImprovement(model)(X[order].unsqueeze(-2))
    assert (value > 0.0).all()
    assert (value <= 5.0).all()
    # The rank of a network is a matter of one number, so that better ones improve more.
    assert model.has_uncertainty or (value.diff() <= 1e-12).all()


def test_logarithm_has_the_same_values_and_choices(model: RankModel) -> None:
    X = toy_data(200, seed=3)[0].unsqueeze(-2)
    plain, logarithm = ExpectedRankingImprovement(model)(X), LogExpectedRankingImprovement(model)(X)
    torch.testing.assert_close(logarithm.exp(), plain, rtol=1e-9, atol=1e-300)
    assert logarithm.argmax() == plain.argmax()


@KINDS
def test_gradient(kind: Kind, model: RankModel) -> None:
    X = split_points(model, share=0.4)[0][:5].unsqueeze(-2).requires_grad_()
    assert gradcheck(kind(model), X, eps=1e-6, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("limit", [3.0, 9.0, torch.inf])
@pytest.mark.parametrize("K_m", [1, 5, 12])
def test_autograd_is_the_papers_derivative_corrected(limit: float, K_m: int) -> None:
    eta = torch.linspace(-8.0, 8.0, 41, dtype=torch.float64).unsqueeze(-1).requires_grad_()
    support = torch.tensor(limit, dtype=torch.float64)
    improvement = PoissonRankPosterior(eta, support, support).log_improvement(K_m).exp()
    (by_autograd,) = torch.autograd.grad(improvement.sum(), eta)
    ranks = torch.arange(K_m).double()
    probability = truncated_poisson.log_prob(ranks, eta.detach(), support).exp()
    slope = ranks - truncated_poisson.mean(eta.detach(), support)
    expected = ((K_m - ranks) * probability * slope).sum(-1, keepdim=True)
    torch.testing.assert_close(by_autograd, expected)


def test_logarithm_keeps_its_gradient_where_the_improvement_underflows() -> None:
    eta = torch.tensor([[7.0], [8.0], [12.0]], dtype=torch.float64, requires_grad=True)
    value = PoissonRankPosterior(eta, INFINITE, INFINITE).log_improvement(5)
    assert (value[1:].exp() < 1e-300).all()
    (slope,) = torch.autograd.grad(value.sum(), eta)
    # The largest term, k = 4, decides: d/d eta (4 eta - exp(eta)).
    torch.testing.assert_close(slope, 4.0 - eta.detach().exp(), rtol=0.01, atol=0)


@KINDS
@pytest.mark.parametrize("K_m", [0, -1])
def test_the_worst_tolerable_rank_is_at_least_one(kind: Kind, model: RankModel, K_m: int) -> None:
    with pytest.raises(ValueError, match=f"K_m is a rank of at least 1, but got {K_m}"):
        kind(model, K_m=K_m)
