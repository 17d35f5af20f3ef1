"""What BoTorch finds by its registries of samplers, features and paths."""

from functools import partial
from typing import Any

import pytest
import torch
from botorch.exceptions import UnsupportedError
from botorch.sampling.get_sampler import get_sampler
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.sampling.pathwise import draw_kernel_feature_paths, draw_matheron_paths
from botorch.sampling.pathwise.features import gen_kernel_features
from botorch.utils.sampling import manual_seed
from gpytorch.priors import NormalPrior
from helpers.gaussian import unit_points
from helpers.toy import toy_data
from torch import Tensor

from botorch_popbo import PoissonRankModel, RankingGP
from botorch_popbo.data import from_outcomes
from botorch_popbo.models.kernels import RoughMaternKernel


@pytest.mark.parametrize("active_dims", [None, (0, 2)])
def test_their_inner_product_is_the_kernel(active_dims: tuple[int, ...] | None) -> None:
    X = unit_points(6, 2 if active_dims is None else 3)
    kernel = RoughMaternKernel(
        NormalPrior(0.0, 1.0), NormalPrior(-1.5, 0.5), ard_num_dims=2, active_dims=active_dims
    )
    kernel = kernel.double().requires_grad_(False)
    kernel.lengthscale = torch.tensor([0.2, 1.5]).double()
    kernel.rotation = torch.tensor([[0.6, -0.8], [0.8, 0.6]]).double()
    with manual_seed(0):
        features = gen_kernel_features(kernel, num_inputs=X.shape[-1], num_outputs=2**15)(X)
    # A smooth kernel is off by 0.3 here.
    torch.testing.assert_close(features @ features.T, kernel(X).to_dense(), rtol=0.0, atol=0.02)


def test_utilities_are_drawn_by_quasi_monte_carlo(gaussian_model: RankingGP) -> None:
    posterior = gaussian_model.rank_posterior(toy_data(3, seed=2)[0].unsqueeze(-2))
    sampler = get_sampler(posterior, torch.Size([512]), seed=0)
    assert isinstance(sampler, SobolQMCNormalSampler)
    draws = sampler(posterior)
    assert torch.equal(draws, get_sampler(posterior, torch.Size([512]), seed=0)(posterior))
    assert not torch.equal(draws, get_sampler(posterior, torch.Size([512]), seed=1)(posterior))
    # Smooth ranks lie within the counts' steps of one.
    torch.testing.assert_close(draws.mean(0), posterior.mean, rtol=0, atol=0.6)


TEST_X = toy_data(6, seed=1)[0]
NUM_PATHS = 64


def drawn(
    model: RankingGP, X: Tensor = TEST_X, seed: int = 0, number: int = NUM_PATHS, **options: Any
) -> Tensor:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        paths: Tensor = draw_matheron_paths(model, torch.Size([number]), **options)(X)
    return paths.detach()


@pytest.mark.parametrize("num_sources", [0, 2])
def test_they_are_distributed_as_the_posterior(num_sources: int) -> None:
    # What features leave out shows where hardly anything is left open.
    sources = num_sources * [from_outcomes(*toy_data(8, seed=3))]
    model = RankingGP(*toy_data(6), order_only=True, sources=sources).fit()
    assert bool((model.correlation > 0.0).all())
    posterior = model.posterior(TEST_X)
    covariance = posterior.distribution.covariance_matrix.detach()
    variance, number = covariance.diagonal(), 2048
    # Enough features, drawn several times, that their own error does not show.
    sampler = partial(draw_kernel_feature_paths, num_features=2**12)
    values = torch.cat(
        [drawn(model, seed=seed, number=number // 8, prior_sampler=sampler) for seed in range(8)]
    )
    error = (values.mean(0) - posterior.mean.squeeze(-1)).abs()
    assert (error < 5.0 * (variance / number).sqrt()).all()
    error = (torch.cov(values.T) - covariance).abs()
    deviation = ((variance.outer(variance) + covariance.square()) / number).sqrt()
    assert (error < 5.0 * deviation).all()


def test_a_path_is_a_function(gaussian_model: RankingGP) -> None:
    values = drawn(gaussian_model)
    assert torch.equal(drawn(gaussian_model), values)
    assert not torch.equal(drawn(gaussian_model, seed=1), values)
    # Points of a t-batch stand beside the paths, points of each path in their place.
    batch = drawn(gaussian_model, TEST_X.reshape(2, 1, 3, 2))
    assert batch.shape == (2, NUM_PATHS, 3)
    torch.testing.assert_close(torch.cat([*batch], dim=-1), values)
    own = drawn(gaussian_model, TEST_X[torch.arange(NUM_PATHS) % 6].unsqueeze(-2))
    torch.testing.assert_close(own[7], values[7, [1]])


def test_paths_have_the_dtype_of_the_points(tkwargs: dict[str, Any]) -> None:
    model = RankingGP(*toy_data(15, **tkwargs)).fit()
    values = drawn(model, TEST_X.to(**tkwargs))
    assert values.dtype == tkwargs["dtype"]
    assert values.device.type == tkwargs["device"].type
    assert values.isfinite().all()


def test_what_has_no_paths_is_refused(gaussian_model: RankingGP) -> None:
    with pytest.raises(UnsupportedError, match="update strategy of their own"):
        drawn(gaussian_model, update_strategy=print)
    with pytest.raises(NotImplementedError, match="PoissonRankModel"):
        draw_matheron_paths(PoissonRankModel(*toy_data(5)), torch.Size([2]))
