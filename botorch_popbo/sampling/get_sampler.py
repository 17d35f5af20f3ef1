"""Registers the sampler that BoTorch's Monte Carlo acquisition functions use."""

import torch
from botorch.sampling.get_sampler import GetSampler
from botorch.sampling.stochastic_samplers import ForkedRNGSampler

from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior


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
