from functools import partial
from typing import Any

import pytest
import torch
from botorch.exceptions import UnsupportedError
from botorch.sampling.pathwise import draw_kernel_feature_paths, draw_matheron_paths
from helpers.toy import toy_data
from torch import Tensor

from botorch_popbo import PoissonRankModel, RankingGP
from botorch_popbo.sampling import draw_utility_paths

TEST_X = toy_data(6, seed=1)[0]
NUM_PATHS = 4096


def drawn(
    model: RankingGP, X: Tensor = TEST_X, seed: int = 0, number: int = NUM_PATHS, **options: Any
) -> Tensor:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        paths: Tensor = draw_matheron_paths(model, torch.Size([number]), **options)(X)
    return paths.detach()


def test_they_are_distributed_as_the_posterior(gaussian_model: RankingGP) -> None:
    posterior = gaussian_model.posterior(TEST_X)
    covariance = posterior.distribution.covariance_matrix.detach()
    variance = covariance.diagonal()
    # Enough features, drawn several times, that their own error does not show.
    sampler = partial(draw_kernel_feature_paths, num_features=2**13)
    values = torch.cat(
        [drawn(gaussian_model, seed=seed, number=512, prior_sampler=sampler) for seed in range(8)]
    )
    error = (values.mean(0) - posterior.mean.squeeze(-1)).abs()
    assert (error < 5.0 * (variance / NUM_PATHS).sqrt()).all()
    error = (torch.cov(values.T) - covariance).abs()
    deviation = ((variance.outer(variance) + covariance.square()) / NUM_PATHS).sqrt()
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
        drawn(gaussian_model, update_strategy=draw_utility_paths)
    with pytest.raises(NotImplementedError, match="PoissonRankModel"):
        draw_matheron_paths(PoissonRankModel(*toy_data(5)), torch.Size([2]))


def test_a_path_of_points_of_another_dtype_leaves_the_model_alone() -> None:
    model = RankingGP(*toy_data(12)).fit()
    before = model.posterior(TEST_X).mean
    drawn(model, TEST_X.long())
    assert torch.equal(model.posterior(TEST_X).mean, before)
