import pytest
import torch
from botorch.sampling.get_sampler import get_sampler
from helpers.toy import toy_data

from botorch_popbo import PoissonRankModel


@pytest.mark.usefixtures("rng_untouched")
def test_botorch_finds_a_sampler_that_leaves_the_random_state_alone(
    model: PoissonRankModel,
) -> None:
    X = toy_data(6)[0].reshape(2, 3, 2).requires_grad_()
    posterior = model.posterior(X)
    draws = get_sampler(posterior, torch.Size([8]), seed=0)(posterior)
    assert draws.shape == (8, 2, 3, 1)
    (gradient,) = torch.autograd.grad(draws.sum(), X)
    assert gradient.abs().sum() > 0
