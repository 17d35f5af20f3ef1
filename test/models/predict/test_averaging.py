from typing import Any

import pytest
import torch
from helpers.gaussian import hyperparameters, ranked, unit_points
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import RankingGP
from botorch_popbo.models._fit.evidence import Evidence, Sample
from botorch_popbo.models._predict.averaging import _curvature, plausible_ranks

X = unit_points(24)
NEW = unit_points(6, seed=1)
SMOOTH = (5.0 * X[:, 0]).sin() + X[:, 1]
NOISY = SMOOTH + 0.5 * torch.randn(24, generator=torch.Generator().manual_seed(0)).double()
TIED = (3.0 * SMOOTH).round()


def fitted(outcomes: Tensor, **options: Any) -> RankingGP:
    return RankingGP(X, outcomes.unsqueeze(-1), input_transform=None, **options).fit()


@pytest.mark.parametrize("outcomes", [SMOOTH, NOISY, TIED], ids=["smooth", "noisy", "tied"])
@pytest.mark.parametrize("noise", [False, True])
def test_everything_that_is_said_of_a_rank_is_one_law(outcomes: Tensor, noise: bool) -> None:
    posterior = fitted(outcomes).rank_posterior(NEW, observation_noise=noise)
    support = torch.arange(25.0).double()
    probability = posterior.log_prob(support).exp()
    torch.testing.assert_close(probability.sum(-1), torch.ones(6).double())
    # A new point may tie with points that are equally good: it is worse than none, or than all.
    sizes = outcomes.unique(return_counts=True)[1].flip(0)
    possible = torch.cat([torch.zeros(1), sizes.cumsum(0)]).long()
    assert set((probability > 0.0).any(0).nonzero().flatten().tolist()) <= set(possible.tolist())
    assert (probability[:, possible] > 0.0).any(0).all()
    torch.testing.assert_close(posterior.cdf(support), probability.cumsum(-1), atol=1e-12, rtol=0)
    mean = (probability * support).sum(-1, keepdim=True)
    torch.testing.assert_close(posterior.mean, mean)
    variance = (probability * (support - mean).square()).sum(-1, keepdim=True)
    torch.testing.assert_close(posterior.variance, variance)
    for level in (0.1, 0.5, 0.9):
        quantile = posterior.quantile(torch.tensor(level).double())
        first = (posterior.cdf(support) >= level).double().argmax(-1)
        assert torch.equal(quantile.squeeze(-1), first.double())
    with torch.random.fork_rng():
        torch.manual_seed(0)
        samples = posterior.sample(torch.Size([40_000])).squeeze(-1)
    frequency = (samples.unsqueeze(-1) == support).double().mean(0)
    torch.testing.assert_close(frequency, probability, atol=0.013, rtol=0)


def test_gradients_of_the_averaged_law() -> None:
    model = fitted(NOISY)

    def law(points: Tensor) -> tuple[Tensor, ...]:
        posterior = model.rank_posterior(points)
        return posterior.mean, posterior.variance, posterior.log_rate

    assert gradcheck(law, NEW.clone().requires_grad_(), eps=1e-6, atol=1e-5)


@pytest.mark.parametrize("is_gross", [True, False])
def test_only_strong_evidence_sets_records_aside(is_gross: bool) -> None:
    outcomes = SMOOTH.clone()
    if is_gross:
        outcomes[SMOOTH.argsort()[[2, 5]]] = torch.tensor([9.0, 8.0]).double()
    is_used = torch.ones(24, dtype=torch.bool)
    is_used[SMOOTH.argsort()[[2, 5]]] = False
    with torch.no_grad():
        sample = Sample(X, ranked(outcomes), hyperparameters())
        found = plausible_ranks(sample, torch.arange(24), is_used)
    assert {len(law.predictor.X) for law in found} == {22 if is_gross else 24}
    assert all(law.buckets.size.sum() == 24 for law in found)


def test_the_curvature_is_that_of_the_evidence() -> None:
    search = hyperparameters()
    evidence = Evidence(Sample(X, ranked(NOISY), search))
    centre = evidence.maximize(search.start)[0].coordinates
    curvature = _curvature(evidence, centre)
    step = torch.tensor([0.1, -0.05, 0.0, 0.0, 0.0]).double()
    ahead, behind, between = (
        evidence.value_and_gradient(at)[1] for at in (centre + step, centre - step, centre)
    )
    change = ahead + behind - 2.0 * between
    assert float(-step @ curvature @ step) == pytest.approx(change, rel=0.1, abs=1e-4)


def test_units_move_no_rank() -> None:
    points, new = unit_points(12), unit_points(20, seed=1)
    outcomes = -(points - 0.3).square().sum(-1, keepdim=True)
    one, other = (RankingGP(points, Y).fit() for Y in (outcomes, 3.0 * outcomes + 7.0))
    moved = one.rank_posterior(new).mean - other.rank_posterior(new).mean
    assert moved.abs().max() < 1e-8
