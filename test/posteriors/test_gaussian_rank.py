import math
from typing import Any

import pytest
import torch
from botorch.posteriors import GPyTorchPosterior
from contracts import PosteriorContract
from gpytorch.distributions import MultivariateNormal
from helpers.ranking import tensor
from torch import Tensor

from botorch_popbo import GaussianRankPosterior, RankingGP
from botorch_popbo.posteriors.gaussian_rank import Thresholds

VALUES = tensor([1.5, 0.5, 0.25, -1.0])
SIZE = tensor([1, 2, 1, 3])
TOTAL = 7
NUM_DRAWS = 200_000
# b x q with b = 2 and q = 3: near the top, in the middle, below everything.
MEAN = tensor([[2.0, 0.4, -0.6], [0.0, -5.0, 0.25]])
VARIANCE = tensor([[0.2, 1.0, 0.3], [4.0, 0.5, 1e-4]])


def make(mean: Tensor = MEAN, variance: Tensor = VARIANCE, **tkwargs: Any) -> GaussianRankPosterior:
    """Known utilities of the evaluated points, so that draws are easily repeated by hand."""
    mean, variance = mean.to(**tkwargs), variance.to(**tkwargs)
    deviation = variance.clamp_min(1e-20).sqrt().unsqueeze(-1)
    scores = (VALUES.to(mean) - mean.unsqueeze(-1)) / deviation

    def joint() -> GPyTorchPosterior:
        # All pairs are correlated.
        root = variance.sqrt()
        mixed = 0.6 * torch.ones(3).to(root) + 0.4 * torch.eye(3).to(root)
        law = MultivariateNormal(mean, root.unsqueeze(-1) * mixed * root.unsqueeze(-2))
        return GPyTorchPosterior(law)

    return GaussianRankPosterior(Thresholds(scores, SIZE.to(mean)), joint)


class TestContract(PosteriorContract):
    def make_posterior(self, X: Tensor) -> GaussianRankPosterior:
        return RankingGP(*self.make_data(dtype=X.dtype, device=X.device)).rank_posterior(X)


@pytest.fixture(scope="module")
def drawn() -> Tensor:
    """Independent draws of the counts, by placing utilities among the thresholds."""
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(NUM_DRAWS, 2, 3, generator=generator, dtype=torch.float64)
    utility = MEAN + VARIANCE.sqrt() * noise
    return ((utility.unsqueeze(-1) < VALUES) * SIZE).sum(-1)


def enumerated(posterior: GaussianRankPosterior) -> tuple[Tensor, Tensor]:
    support = torch.arange(TOTAL + 1.0, dtype=torch.float64)
    return support, posterior.log_prob(support).exp()


def test_probabilities_match_monte_carlo_and_sum_to_one(drawn: Tensor) -> None:
    support, probability = enumerated(make())
    assert probability.shape == (2, 3, TOTAL + 1)
    torch.testing.assert_close(probability.sum(-1), torch.ones(2, 3).double())
    for count in support:
        frequency = (drawn == count).double().mean(0)
        torch.testing.assert_close(
            probability[..., int(count)], frequency, rtol=0, atol=5.0 / math.sqrt(4.0 * NUM_DRAWS)
        )
    # Two points stand on the second threshold, so that nobody can be behind one of them only.
    assert (probability[..., 2] == 0.0).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_small_variance_of_a_large_rank_is_not_lost(dtype: torch.dtype) -> None:
    # Between two ranks of three thousand, certain but for one in a thousand.
    scores = torch.cat([torch.full((2999,), 9.0), tensor([3.0902, -9.0]).float()]).to(dtype)
    thresholds = Thresholds(scores.view(1, 1, -1).requires_grad_(), torch.ones(3001).to(dtype))
    posterior = GaussianRankPosterior(thresholds, lambda: pytest.fail("no draws are needed"))
    assert posterior.variance.item() == pytest.approx(1e-3, rel=2e-2)
    [slope] = torch.autograd.grad(posterior.variance.sqrt().sum(), thresholds.values)
    assert slope.isfinite().all()


def test_samples_are_jointly_drawn_counts() -> None:
    posterior = make()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        samples = posterior.sample(torch.Size([20_000]))
    assert samples.shape == (20_000, 2, 3, 1)
    assert torch.equal(samples, samples.round())
    torch.testing.assert_close(samples.mean(0), posterior.mean, rtol=0, atol=0.1)
    torch.testing.assert_close(samples.var(0), posterior.variance, rtol=0.1, atol=0.01)
    assert torch.corrcoef(samples[:, 0, :2, 0].T)[0, 1] > 0.2
