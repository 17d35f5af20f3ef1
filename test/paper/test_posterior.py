import math
from typing import Any

import pytest
import torch
from botorch.exceptions import UnsupportedError
from contracts import PosteriorContract
from helpers.toy import toy_data
from torch import Tensor

from botorch_popbo import NegatedRank, PoissonRankModel, PoissonRankPosterior, RankingGP, RankModel

# b x q x 1 with b = 2 and q = 3: rates far below, near and above an exposure of 7.
LOG_RATES = [[[-3.0], [0.0], [1.5]], [[2.0], [3.0], [8.0]]]
WORST = 7
LIMITS = pytest.mark.parametrize("limit", [float(WORST), math.inf])
POINTS = toy_data(6, seed=1)[0].reshape(2, 3, 2)


def posterior(limit: float, **tkwargs: Any) -> PoissonRankPosterior:
    tkwargs = {"dtype": torch.float64} | tkwargs
    exposure = torch.tensor(float(WORST), **tkwargs)
    log_rate = torch.tensor(LOG_RATES, **tkwargs)
    return PoissonRankPosterior(log_rate, exposure, torch.tensor(limit, **tkwargs))


class TestContract(PosteriorContract):
    same_draws_over_batches = False  # of counts, which no base samples carry

    def make_posterior(self, X: Tensor) -> PoissonRankPosterior:
        data = self.make_data(dtype=X.dtype, device=X.device)
        return PoissonRankModel(*data).rank_posterior(X)


@LIMITS
def test_only_whole_numbers_of_the_support_have_a_probability(limit: float) -> None:
    for count in (-1.0, 0.5, 2.999):
        assert posterior(limit).log_prob(torch.tensor(count)).isneginf().all()


@LIMITS
def test_samples_follow_the_law(limit: float, tkwargs: dict[str, Any]) -> None:
    law, number = posterior(limit, **tkwargs), 4000
    with torch.random.fork_rng():
        torch.manual_seed(0)
        samples = law.sample(torch.Size([number]))
    assert samples.dtype == tkwargs["dtype"]
    assert samples.max() <= limit
    five_sigma = 5.0 * (law.variance / number).sqrt() + 1e-6
    assert ((samples.mean(0) - law.mean).abs() <= five_sigma).all()
    for count in (0.0, 1.0, 6.0):
        probability = law.log_prob(torch.tensor(count)).exp()
        five_sigma = 5.0 * (probability * (1.0 - probability) / number).sqrt() + 1.0 / number
        assert (((samples == count).double().mean(0) - probability).abs() <= five_sigma).all()


def test_no_points_have_no_ranks() -> None:
    law = PoissonRankPosterior(torch.zeros(3, 0, 1), torch.tensor(9.0), torch.tensor(9.0))
    assert law.sample().shape == law.quantile(torch.tensor(0.5)).shape == (3, 0, 1)


@LIMITS
def test_draws_of_the_rate_are_differentiable(limit: float) -> None:
    law = posterior(limit)
    law.log_rate.requires_grad_()
    draws = law.rsample(torch.Size([4]))
    assert torch.equal(draws, law.mean.expand(4, 2, 3, 1))
    (gradient,) = torch.autograd.grad(draws.sum(), law.log_rate)
    # The derivative of the mean in the log-rate is the variance.
    torch.testing.assert_close(gradient, 4.0 * law.variance.detach(), rtol=1e-9, atol=1e-10)


def test_distribution_function_and_quantiles_belong_to_the_same_law(model: RankModel) -> None:
    posterior = model.rank_posterior(torch.rand(4, 3, 2, dtype=torch.float64))
    probabilities = posterior.log_prob(torch.arange(200.0).double()).exp()  # 4 x 3 x 200
    for count in (0.0, 2.0, 7.0):
        expected = probabilities[..., : int(count) + 1].sum(-1, keepdim=True)
        found = posterior.cdf(torch.tensor(count))
        torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)
    levels = torch.tensor([0.05, 0.5, 0.95], dtype=torch.float64)
    quantiles = posterior.quantile(levels)
    assert quantiles.shape == (3, 4, 3, 1)
    assert torch.equal(posterior.quantile(levels[1]), quantiles[1])
    assert (posterior.cdf(quantiles) >= levels.reshape(3, 1, 1, 1)).all()
    assert (posterior.cdf(quantiles - 1.0) < levels.reshape(3, 1, 1, 1)).all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        posterior.quantile(torch.tensor(1.1))


def test_counts_are_negated_and_nothing_else(model: RankModel) -> None:
    counts = model.rank_posterior(POINTS)
    negated = NegatedRank()(counts)
    torch.testing.assert_close(negated.mean, -counts.mean)
    torch.testing.assert_close(negated.variance, counts.variance)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        draws = negated.rsample(torch.Size([4]))
        torch.manual_seed(0)
        torch.testing.assert_close(draws, -counts.rsample(torch.Size([4])))
    assert torch.equal(NegatedRank().evaluate(counts.mean), -counts.mean.squeeze(-1))


def test_a_utility_is_not_negated(gaussian_model: RankingGP) -> None:
    with pytest.raises(UnsupportedError, match="leave out the transform"):
        gaussian_model.posterior(POINTS, posterior_transform=NegatedRank())
