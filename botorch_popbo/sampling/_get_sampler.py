"""Registers the samplers that BoTorch's Monte Carlo acquisition functions use."""

import torch
from botorch.sampling.get_sampler import GetSampler
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.sampling.stochastic_samplers import ForkedRNGSampler

from botorch_popbo.paper.posterior import PoissonRankPosterior
from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior


@GetSampler.register(PoissonRankPosterior)
def get_poisson_rank_sampler(
    posterior: PoissonRankPosterior, sample_shape: torch.Size, *, seed: int | None = None
) -> ForkedRNGSampler:
    """The sampler of a posterior over rank counts.

    Args:
        posterior: The posterior, used for dispatch only.
        sample_shape: Shape of the draws.
        seed: Seed of the draws.

    Returns:
        A sampler that draws through the rate and leaves the global random state as it was.
    """
    return ForkedRNGSampler(sample_shape=sample_shape, seed=seed)


@GetSampler.register(GaussianRankPosterior)
def get_gaussian_rank_sampler(
    posterior: GaussianRankPosterior, sample_shape: torch.Size, *, seed: int | None = None
) -> SobolQMCNormalSampler:
    """The sampler of a posterior over ranks of a normal utility.

    Args:
        posterior: The posterior, used for dispatch only.
        sample_shape: Shape of the draws.
        seed: Seed of the draws.

    Returns:
        A sampler of fixed quasi-random base samples.
    """
    return SobolQMCNormalSampler(sample_shape=sample_shape, seed=seed)
