"""Samplers and sample paths of the posteriors, which importing this registers with BoTorch."""

from botorch_popbo.sampling._features import rough_features
from botorch_popbo.sampling._get_sampler import get_gaussian_rank_sampler, get_poisson_rank_sampler
from botorch_popbo.sampling._pathwise import draw_utility_paths

__all__ = [
    "draw_utility_paths",
    "get_gaussian_rank_sampler",
    "get_poisson_rank_sampler",
    "rough_features",
]
