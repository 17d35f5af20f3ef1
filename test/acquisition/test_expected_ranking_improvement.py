import pytest
import torch
from helpers.exact_poisson import ExactLaw
from helpers.toy import split_points, toy_data
from torch.autograd import gradcheck

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
    PoissonRankModel,
    PoissonRankPosterior,
)
from botorch_popbo.acquisition.expected_ranking_improvement import improvement_gradient

pytestmark = pytest.mark.usefixtures("only_known_points_are_near")


@pytest.mark.parametrize("K_m", [1, 2, 5, 12])
def test_promising_points_have_the_improvement_summed_over_ranks(
    model: PoissonRankModel, K_m: int
) -> None:
    X, _ = split_points(model, q=0.4)
    value = ExpectedRankingImprovement(model, K_m=K_m)(X[:20].unsqueeze(-2))
    posterior = model.posterior(X[:20].unsqueeze(-2))
    num = len(model.rank_counts)
    for improvement, log_rate in zip(value, posterior.log_rate.flatten(), strict=True):
        # From 12 points on the untruncated law: a support so long that its end does not matter.
        law = ExactLaw(log_rate.item(), num if num < 12 else 500)
        expected = sum((K_m - k) * law.prob(k) for k in range(K_m + 1))
        assert improvement.item() == pytest.approx(expected, rel=1e-10)


def test_promising_points_lie_between_zero_and_the_worst_tolerable_rank(
    model: PoissonRankModel,
) -> None:
    X, _ = split_points(model, q=0.4)
    value = ExpectedRankingImprovement(model)(X.unsqueeze(-2))
    assert (value > 0.0).all()
    assert (value <= 5.0).all()


def test_better_predicted_ranks_improve_more(model: PoissonRankModel) -> None:
    X, _ = split_points(model, q=0.4)
    order = model.posterior(X.unsqueeze(-2)).mean.flatten().argsort()
    value = ExpectedRankingImprovement(model)(X[order].unsqueeze(-2))
    assert (value.diff() <= 1e-12).all()


@pytest.mark.parametrize("K_m", [1, 5, 30])
def test_improvement_over_a_gaussian_process(gaussian_model: PoissonRankModel, K_m: int) -> None:
    X = toy_data(50, seed=3)[0].unsqueeze(-2).requires_grad_()
    support = torch.arange(16.0).double()
    probability = gaussian_model.posterior(X).log_prob(support).exp()
    expected = (probability * (K_m - support).clamp_min(0.0)).sum(-1).squeeze(-1)
    value = ExpectedRankingImprovement(gaussian_model, K_m=K_m)(X)
    torch.testing.assert_close(value, expected)
    logarithm = LogExpectedRankingImprovement(gaussian_model, K_m=K_m)(X)
    likely = expected > 1e-6
    torch.testing.assert_close(logarithm[likely], expected[likely].log())
    assert logarithm.isfinite().all()  # also where every probability underflows
    assert torch.autograd.grad(logarithm.sum(), X)[0].isfinite().all()


def test_gradient(model: PoissonRankModel) -> None:
    X = split_points(model, q=0.4)[0][:5].unsqueeze(-2).requires_grad_()
    assert gradcheck(ExpectedRankingImprovement(model), X, eps=1e-6, atol=1e-7, rtol=1e-5)


@pytest.mark.parametrize("K_m", [0, -1])
def test_the_worst_tolerable_rank_is_at_least_one(model: PoissonRankModel, K_m: int) -> None:
    with pytest.raises(ValueError, match=f"K_m is a rank of at least 1, but got {K_m}"):
        ExpectedRankingImprovement(model, K_m=K_m)


@pytest.mark.parametrize("limit", [3.0, 9.0, torch.inf])
@pytest.mark.parametrize("K_m", [1, 5, 12])
def test_papers_derivative_corrected_equals_autograd(limit: float, K_m: int) -> None:
    eta = torch.linspace(-8.0, 8.0, 41, dtype=torch.float64).unsqueeze(-1).requires_grad_()
    support = torch.tensor(limit, dtype=torch.float64)
    improvement = PoissonRankPosterior(eta, support, support).log_improvement(K_m).exp()
    (by_autograd,) = torch.autograd.grad(improvement.sum(), eta)
    torch.testing.assert_close(improvement_gradient(eta, support, K_m), by_autograd)


def test_logarithm_has_the_same_values_and_choices(long_model: PoissonRankModel) -> None:
    X = torch.rand(200, 1, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    plain = ExpectedRankingImprovement(long_model)(X)
    logarithm = LogExpectedRankingImprovement(long_model)(X)
    torch.testing.assert_close(logarithm.exp(), plain, rtol=1e-9, atol=1e-300)
    assert logarithm.argmax() == plain.argmax()


def test_logarithm_keeps_its_gradient_where_the_improvement_underflows() -> None:
    eta = torch.tensor([[7.0], [8.0], [12.0]], dtype=torch.float64, requires_grad=True)
    infinite = torch.tensor(torch.inf, dtype=torch.float64)
    value = PoissonRankPosterior(eta, infinite, infinite).log_improvement(5)
    assert (value[1:].exp() < 1e-300).all()
    (slope,) = torch.autograd.grad(value.sum(), eta)
    # The largest term, k = 4, decides: d/d eta (4 eta - exp(eta)).
    torch.testing.assert_close(slope, 4.0 - eta.detach().exp(), rtol=0.01, atol=0)


def test_logarithm_is_finite_at_known_points(model: PoissonRankModel) -> None:
    X = model.rank_counts.X.unsqueeze(-2).requires_grad_()
    value = LogExpectedRankingImprovement(model)(X)
    assert value.isfinite().all()
    assert torch.autograd.grad(value.sum(), X)[0].isfinite().all()
