import math
from typing import Any

import pytest
import torch
from helpers.exact_poisson import ExactLaw
from torch import Tensor

from botorch_popbo import PoissonRankModel, PoissonRankPosterior, RankModel
from botorch_popbo.testing import PosteriorContract

# b x q x 1 with b = 2 and q = 3: rates far below, near and above an exposure of 7.
LOG_RATES = [[[-3.0], [0.0], [1.5]], [[2.0], [3.0], [8.0]]]
LIMIT = 7


def posterior(limit: float, **tkwargs: Any) -> PoissonRankPosterior:
    tkwargs = {"dtype": torch.float64} | tkwargs
    exposure = torch.tensor(float(LIMIT), **tkwargs)
    log_rate = torch.tensor(LOG_RATES, **tkwargs)
    return PoissonRankPosterior(log_rate, exposure, torch.tensor(limit, **tkwargs))


class TestContract(PosteriorContract):
    same_draws_over_batches = False  # of counts, which no base samples carry

    def make_posterior(self, X: Tensor) -> PoissonRankPosterior:
        data = self.make_data(dtype=X.dtype, device=X.device)
        return PoissonRankModel(*data).rank_posterior(X)


def enumerated(power: int) -> Tensor:
    """Moments of the truncated law by summing over its support."""
    moments = [
        [[sum(k**power * ExactLaw(x, LIMIT).prob(k) for k in range(LIMIT + 1))] for (x,) in row]
        for row in LOG_RATES
    ]
    return torch.tensor(moments, dtype=torch.float64)


def test_truncated_moments_match_enumeration() -> None:
    law = posterior(LIMIT)
    torch.testing.assert_close(law.mean, enumerated(1), rtol=1e-12, atol=0)
    torch.testing.assert_close(
        law.variance, enumerated(2) - enumerated(1).square(), rtol=1e-10, atol=1e-12
    )


def test_truncated_probabilities_match_enumeration() -> None:
    law = posterior(LIMIT)
    counts = torch.arange(-1.0, LIMIT + 2.0, dtype=torch.float64)
    expected = torch.tensor(
        [[[ExactLaw(x, LIMIT).prob(int(k)) for k in counts] for (x,) in row] for row in LOG_RATES],
        dtype=torch.float64,
    )
    density = law.density(counts).squeeze(-1).movedim(0, -1)
    torch.testing.assert_close(density, expected, rtol=1e-11, atol=0)
    torch.testing.assert_close(law.log_prob(counts), expected.log(), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("limit", [float(LIMIT), math.inf])
def test_only_whole_numbers_of_the_support_have_a_probability(limit: float) -> None:
    law = posterior(limit)
    for count in (-1.0, 0.5, 2.999):
        assert law.log_prob(torch.tensor(count)).isneginf().all()
        assert not law.density(torch.tensor(count)).any()


def test_untruncated_law_is_poisson() -> None:
    law = posterior(math.inf)
    poisson = torch.distributions.Poisson(law.log_rate.exp())
    counts = torch.arange(12.0, dtype=torch.float64)
    torch.testing.assert_close(law.mean, poisson.mean)
    torch.testing.assert_close(law.variance, poisson.variance)
    torch.testing.assert_close(law.log_prob(counts), poisson.log_prob(counts), rtol=1e-11, atol=0)
    density = law.density(counts).squeeze(-1).movedim(0, -1)
    torch.testing.assert_close(density, poisson.log_prob(counts).exp())


@pytest.mark.parametrize("limit", [LIMIT, math.inf])
def test_everything_has_dtype_and_device_of_the_rate(limit: float, tkwargs: dict[str, Any]) -> None:
    law = posterior(limit, **tkwargs)
    shape = torch.Size([5])
    for values in (law.mean, law.variance, law.density(law.mean.round()), law.rsample(shape)):
        assert values.dtype == law.dtype == tkwargs["dtype"]
        assert values.device.type == law.device.type == tkwargs["device"].type
    with torch.random.fork_rng():
        assert law.sample(shape).dtype == tkwargs["dtype"]
        assert law.sample(shape).device.type == tkwargs["device"].type


@pytest.mark.parametrize("limit", [LIMIT, math.inf])
@pytest.mark.parametrize("sample_shape", [None, (), (4,), (2, 5)])
def test_samples_are_counts_of_the_support(
    limit: float, sample_shape: tuple[int, ...] | None
) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        size = None if sample_shape is None else torch.Size(sample_shape)
        samples = posterior(limit).sample(size)
    assert samples.shape == (*(sample_shape or ()), 2, 3, 1)
    assert torch.equal(samples, samples.round())
    assert (samples >= 0).all()
    assert (samples <= limit).all()
    assert not samples.requires_grad


@pytest.mark.parametrize("limit", [LIMIT, math.inf])
def test_samples_follow_the_law(limit: float) -> None:
    law, num = posterior(limit), 4000
    with torch.random.fork_rng():
        torch.manual_seed(0)
        samples = law.sample(torch.Size([num]))
    five_sigma = 5.0 * (law.variance / num).sqrt() + 1e-9
    assert ((samples.mean(0) - law.mean).abs() <= five_sigma).all()
    for count in (0.0, 1.0, 6.0):
        probability = law.density(torch.tensor(count, dtype=torch.float64))
        frequency = (samples == count).double().mean(0)
        five_sigma = 5.0 * (probability * (1.0 - probability) / num).sqrt() + 1.0 / num
        assert ((frequency - probability).abs() <= five_sigma).all()


@pytest.mark.parametrize("limit", [LIMIT, math.inf])
def test_draws_of_the_rate_are_differentiable(limit: float) -> None:
    law = posterior(limit)
    law.log_rate.requires_grad_()
    assert law.rsample().shape == (2, 3, 1)
    draws = law.rsample(torch.Size([4]))
    assert draws.shape == (4, 2, 3, 1)
    assert torch.equal(draws, law.mean.expand(4, 2, 3, 1))
    (gradient,) = torch.autograd.grad(draws.sum(), law.log_rate)
    # The derivative of the mean in the log-rate is the variance.
    torch.testing.assert_close(gradient, 4.0 * law.variance.detach(), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("limit", [LIMIT, math.inf])
def test_merit_is_the_negated_count(limit: float) -> None:
    law, num = posterior(limit), 4000
    with torch.random.fork_rng():
        torch.manual_seed(0)
        merit = law.sample_merit(torch.Size([num]))
    assert merit.shape == (num, 2, 3, 1)
    # Counts beyond the worst rank are the worst rank.
    for count in (0.0, 1.0, 6.0):
        probability = law.density(torch.tensor(count, dtype=torch.float64))
        frequency = (merit == -count).double().mean(0)
        five_sigma = 5.0 * (probability * (1.0 - probability) / num).sqrt() + 1.0 / num
        assert ((frequency - probability).abs() <= five_sigma).all()
    assert merit.min() >= -LIMIT


def test_distribution_function_quantiles_and_entropy_belong_to_the_same_law(
    model: RankModel,
) -> None:
    posterior = model.rank_posterior(torch.rand(4, 3, 2, dtype=torch.float64))
    support = torch.arange(200, dtype=torch.float64)
    probabilities = posterior.log_prob(support).exp()  # 4 x 3 x 200
    torch.testing.assert_close(posterior.density(support)[7], probabilities[..., 7:8])
    for count in (0.0, 2.0, 7.0):
        expected = probabilities[..., : int(count) + 1].sum(-1, keepdim=True)
        found = posterior.cdf(torch.tensor(count))
        torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)
    levels = torch.tensor([0.05, 0.5, 0.95], dtype=torch.float64)
    quantiles = posterior.quantile(levels)
    assert quantiles.shape == (3, 4, 3, 1)
    assert torch.equal(posterior.quantile(levels[1]), quantiles[1])
    assert (posterior.cdf(quantiles) >= levels.reshape(3, 1, 1, 1)).all()
    entropy = torch.special.entr(probabilities).sum(-1, keepdim=True)
    torch.testing.assert_close(posterior.entropy(), entropy)
