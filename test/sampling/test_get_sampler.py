import pytest
import torch
from botorch.sampling.get_sampler import get_sampler
from botorch.sampling.normal import SobolQMCNormalSampler
from helpers.toy import toy_data

from botorch_popbo import RankingGP, RankModel


@pytest.mark.usefixtures("rng_untouched")
def test_botorch_finds_a_sampler_that_leaves_the_random_state_alone(model: RankModel) -> None:
    X = toy_data(6)[0].reshape(2, 3, 2).requires_grad_()
    posterior = model.rank_posterior(X)
    draws = get_sampler(posterior, torch.Size([8]), seed=0)(posterior)
    assert draws.shape == (8, 2, 3, 1)
    (gradient,) = torch.autograd.grad(draws.sum(), X)
    assert gradient.abs().sum() > 0


def test_utilities_are_drawn_by_quasi_monte_carlo(gaussian_model: RankingGP) -> None:
    posterior = gaussian_model.rank_posterior(toy_data(3, seed=2)[0].unsqueeze(-2))
    sampler = get_sampler(posterior, torch.Size([512]), seed=0)
    assert isinstance(sampler, SobolQMCNormalSampler)
    draws = sampler(posterior)
    assert torch.equal(draws, get_sampler(posterior, torch.Size([512]), seed=0)(posterior))
    assert not torch.equal(draws, get_sampler(posterior, torch.Size([512]), seed=1)(posterior))
    # Smooth ranks lie within the counts' steps of one.
    torch.testing.assert_close(draws.mean(0), posterior.mean, rtol=0, atol=0.6)
