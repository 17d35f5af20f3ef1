import copy
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from helpers.gaussian import unit_points
from helpers.ranking import tensor
from torch import Tensor

from botorch_popbo import GaussianProcessRate, PoissonRankModel, RankCounts
from botorch_popbo.rank_counts import (
    combine,
    from_comparisons,
    from_groups,
    from_outcomes,
    from_top_k,
)
from botorch_popbo.rates import gaussian_process

X = unit_points(30)
SMOOTH = -(X - 0.3).square().sum(-1)
TEST_X = unit_points(6, seed=1)


def untrained(outcomes: Tensor, points: Tensor = X) -> GaussianProcessRate:
    """Of the ranks of outcomes, larger being better."""
    counts = (outcomes > outcomes.unsqueeze(-1)).sum(-1).to(points)
    exposure = torch.full_like(counts, len(counts) - 1.0)
    return GaussianProcessRate(points, counts, exposure, len(counts))


def rate_of(outcomes: Tensor, points: Tensor = X) -> GaussianProcessRate:
    rate = untrained(outcomes, points)
    rate.fit()
    return rate


def with_an_outlier() -> Tensor:
    """A bad point has the best outcome."""
    outcomes = SMOOTH.clone()
    outcomes[SMOOTH.argsort()[6]] = 1.0
    return outcomes


def predicted(rate: GaussianProcessRate, points: Tensor = TEST_X) -> Tensor:
    posterior = rate.rank_posterior(points)
    return torch.cat([posterior.mean, posterior.variance, posterior.log_rate], -1).detach()


@pytest.mark.parametrize("outcomes", [SMOOTH, (5.0 * X[:, 0]).sin() + X[:, 1]])
def test_records_are_predicted_in_their_order(outcomes: Tensor) -> None:
    rate = rate_of(outcomes)
    mean, _ = rate.utility_moments(X)
    assert torch.equal(mean.argsort(), outcomes.argsort())
    # A rank in the middle of a rung has as many points above it as the record itself.
    counts = (outcomes > outcomes.unsqueeze(-1)).sum(-1)
    posterior = rate.rank_posterior(X.unsqueeze(-2))
    assert (posterior.mean.flatten() - counts).abs().max() < 2.0


def test_other_points_are_predicted_between_them() -> None:
    posterior = rate_of(SMOOTH).rank_posterior(TEST_X)
    expected = (-(TEST_X - 0.3).square().sum(-1, keepdim=True) < SMOOTH).sum(-1)
    distance = (posterior.mean.flatten() - expected).abs()
    assert (distance < 3.0 * posterior.variance.flatten().sqrt() + 0.5).all()
    assert distance.mean() < 2.0


def test_only_the_order_matters() -> None:
    expected = predicted(rate_of(SMOOTH))
    for transformed in (SMOOTH.exp(), SMOOTH**3, 1e200 * SMOOTH, SMOOTH.argsort().argsort()):
        assert torch.equal(predicted(rate_of(transformed.double())), expected)


def test_uncertainty_grows_away_from_the_records() -> None:
    rate = rate_of(SMOOTH)
    _, near = rate.utility_moments(X)
    _, far = rate.utility_moments(X + 5.0)
    assert near.max() < 0.1 * far.min()
    _, at_itself, _ = rate.improvement_moments(X[:1], X[0])
    assert at_itself.item() == pytest.approx(0.0, abs=1e-9)


def test_more_evaluations_remove_what_is_left_to_learn() -> None:
    noise = 0.05 * torch.randn(70, generator=torch.Generator().manual_seed(0)).double()
    crowd = X[:1] + 1e-4 * unit_points(40, seed=2)
    rate = rate_of(torch.cat([SMOOTH, SMOOTH[:1].expand(40)]) + noise, torch.cat([X, crowd]))
    (_, crowded), (_, lonely) = (
        rate.improvement_moments(x, X[1])[1:] for x in (X[:1], X[:1] + 0.3)
    )
    assert crowded < 0.1 * rate.noise
    assert lonely > 3.0 * crowded


def test_an_outlier_is_set_aside_and_not_recommended() -> None:
    outcomes = with_an_outlier()
    rate = rate_of(outcomes)
    assert rate.is_used.sum() == len(X) - 1
    assert not rate.is_used[outcomes.argmax()]
    assert rate.incumbent() == SMOOTH.argmax()
    smooth = rate_of(SMOOTH)
    torch.testing.assert_close(
        rate.rank_posterior(TEST_X).mean, smooth.rank_posterior(TEST_X).mean, rtol=0.1, atol=1.5
    )


def test_without_noise_the_best_rank_is_recommended() -> None:
    assert rate_of(SMOOTH).incumbent() == SMOOTH.argmax()


def test_pending_points_leave_hyperparameters_and_outliers_alone() -> None:
    model = PoissonRankModel(X, with_an_outlier().unsqueeze(-1)).fit()
    informed = model.with_pending(TEST_X[:2])
    old, new = model.rate, informed.rate
    assert torch.equal(new.kernel.lengthscale, old.kernel.lengthscale)
    assert torch.equal(new.noise, old.noise)
    assert new.is_used.tolist() == [*old.is_used.tolist(), True, True]
    # A point near the outlier is not predicted to be good for it.
    outlier = X[with_an_outlier().argmax()].unsqueeze(0) + 0.01
    before, after = (m.posterior(outlier).mean.item() for m in (model, informed))
    assert after == pytest.approx(before, abs=3.0)


def test_a_state_dict_carries_hyperparameters_and_outliers() -> None:
    fitted = rate_of(with_an_outlier())
    fresh = untrained(with_an_outlier())
    before = predicted(fresh)
    fresh.load_state_dict(fitted.state_dict())
    assert torch.equal(fresh.is_used, fitted.is_used)
    assert torch.equal(predicted(fresh), predicted(fitted))
    assert not torch.equal(predicted(fresh), before)
    # Of other data the hyperparameters are taken over, the outliers are not.
    fewer = untrained(SMOOTH[:20], X[:20])
    fewer.load_state_dict(fitted.state_dict())
    assert fewer.is_used.all()
    assert torch.equal(fewer.kernel.lengthscale, fitted.kernel.lengthscale)


def test_a_copy_is_equal_and_independent() -> None:
    rate = rate_of(with_an_outlier())
    expected = predicted(rate)
    duplicate = copy.deepcopy(rate)
    assert torch.equal(predicted(duplicate), expected)
    with torch.no_grad():
        duplicate.kernel.raw_lengthscale.mul_(2.0)
    duplicate.is_used.fill_(True)
    assert not torch.equal(predicted(duplicate), expected)
    assert torch.equal(predicted(rate), expected)


def test_other_hyperparameters_condition_anew() -> None:
    rate = rate_of(SMOOTH)
    first = predicted(rate)
    lengthscale = rate.kernel.lengthscale.detach().clone()
    rate.kernel.lengthscale = 2.0 * lengthscale
    assert not torch.equal(predicted(rate), first)
    rate.kernel.lengthscale = lengthscale
    torch.testing.assert_close(predicted(rate), first)


def test_dtype_and_device(tkwargs: dict[str, Any]) -> None:
    rate = rate_of(SMOOTH, X.to(**tkwargs))
    posterior = rate.rank_posterior(TEST_X.to(**tkwargs))
    drawn = posterior.rsample(torch.Size([3]))
    for values in (posterior.mean, posterior.log_rate, drawn, *rate.parameters()):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type
        assert values.isfinite().all()


def test_conversion_to_single_precision() -> None:
    rate = rate_of(SMOOTH)
    double = predicted(rate)
    single = predicted(rate.float(), TEST_X.float())
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), double, rtol=1e-2, atol=1e-2)
    rate.fit()
    assert rate.kernel.lengthscale.dtype == torch.float32


def test_many_records_are_represented_by_some() -> None:
    many = unit_points(1300)
    outcomes = -(many - 0.3).square().sum(-1)
    rate = rate_of(outcomes, many)
    assert len(rate.X) < 1300
    best = many[outcomes.topk(200).indices]
    assert all((x == rate.X).all(-1).any() for x in best)
    posterior = rate.rank_posterior(many[::100].unsqueeze(-2))
    expected = (outcomes > outcomes[::100].unsqueeze(-1)).sum(-1)
    assert posterior.exposure == 1300.0
    torch.testing.assert_close(
        posterior.mean.flatten().detach(), expected.double(), rtol=0.05, atol=5.0
    )
    # Moved points are represented by the same ones.
    before = rate.X
    rate.move(many + 1.0)
    assert torch.equal(rate.X, before + 1.0)


def test_outliers_are_also_found_among_records_that_were_not_fitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gaussian_process, "_NUM_FITTED", 80)
    many = unit_points(200)
    outcomes = -(many - 0.3).square().sum(-1)
    # Bad points with a good outcome are fitted, good points with a bad outcome mostly are not.
    bad_first = outcomes.argsort()
    lucky, unlucky = bad_first[torch.arange(20, 100, 20)], bad_first[torch.arange(120, 190, 10)]
    outcomes[lucky] = 1.0 + torch.arange(4).double()
    outcomes[unlucky] = -1.0 - torch.arange(7).double()
    rate = rate_of(outcomes, many)
    planted = torch.cat([lucky, unlucky])
    assert rate.is_used[planted].sum() <= 2
    assert rate.is_used.sum() >= 200 - len(planted) - 5


@pytest.mark.parametrize("num_points", [1, 2, 3])
def test_few_records(num_points: int) -> None:
    rate = rate_of(SMOOTH[:num_points], X[:num_points])
    posterior = rate.rank_posterior(TEST_X)
    assert posterior.exposure == num_points
    assert predicted(rate).isfinite().all()
    support = torch.arange(num_points + 1.0).double()
    total = posterior.log_prob(support).exp().sum(-1)
    torch.testing.assert_close(total, torch.ones_like(total))


def test_all_tied_records_say_nothing_but_where_they_are() -> None:
    rate = rate_of(torch.zeros(30).double())
    assert predicted(rate).isfinite().all()
    mean, variance = rate.utility_moments(torch.cat([X[:1], X[:1] + 3.0]))
    assert mean[0].item() == pytest.approx(mean[1].item(), abs=1e-3)
    assert variance[0] < variance[1]


COMPARISONS = torch.tensor([[0, 1], [0, 2], [3, 1], [4, 5], [5, 0], [2, 1]])
SOURCES: dict[str, Callable[[], RankCounts]] = {
    "comparisons": lambda: from_comparisons(X[:8], COMPARISONS),
    "top_k": lambda: from_top_k(X[:10], top=[3, 1, 4], rest=[0, 2, 6, 7]),
    "groups": lambda: from_groups(X, SMOOTH.unsqueeze(-1), torch.arange(30) % 4),
    "combined": lambda: combine(
        from_outcomes(X[:9], SMOOTH[:9].unsqueeze(-1)), from_comparisons(X[6:14], COMPARISONS)
    ),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_of_rank_counts_can_be_fitted(source: Callable[[], RankCounts]) -> None:
    model = PoissonRankModel(rank_counts=source()).fit()
    posterior = model.posterior(TEST_X)
    assert posterior.mean.isfinite().all()
    assert posterior.variance.isfinite().all()
    assert posterior.exposure == model.rank_counts.num_points


@pytest.mark.parametrize(
    "points",
    [
        1e-300 * X,
        1e300 * X,
        torch.cat([X[:15], X[:15] + 1e-12]),
        torch.cat([X[:, :1], torch.ones(30, 1).double()], -1),
    ],
    ids=["tiny", "huge", "close", "constant"],
)
def test_extreme_points_are_survived(points: Tensor) -> None:
    outcomes = torch.randn(30, 1, generator=torch.Generator().manual_seed(0)).double()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PoissonRankModel(points, outcomes).fit()
    test_X = model.rank_counts.X.clone().unsqueeze(-2).requires_grad_()
    posterior = model.posterior(test_X)
    improvement = posterior.log_improvement(5)
    for values in (posterior.mean, posterior.variance, posterior.log_rate, improvement):
        assert values.isfinite().all()
    total = posterior.mean.sum() + improvement.sum()
    assert torch.autograd.grad(total, test_X)[0].isfinite().all()


def test_lists_of_different_length_are_weighed_by_their_length() -> None:
    # The first record lost half of two comparisons, the second half of nineteen.
    X, counts = tensor([[0.0], [0.5], [1.0], [0.7]]), tensor([1, 9.5, 0, 18])
    rate = GaussianProcessRate(X, counts, tensor([2, 19, 19, 19]), num_points=20)
    rate.fit()
    assert rate.ranking.variance[0] > rate.ranking.variance[1] > 0.0
    assert predicted(rate, tensor([[0.2], [0.9]])).isfinite().all()
