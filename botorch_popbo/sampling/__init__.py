"""Samplers for posteriors over rank counts."""

from botorch_popbo.sampling._get_sampler import get_gaussian_rank_sampler, get_poisson_rank_sampler

__all__ = ["get_gaussian_rank_sampler", "get_poisson_rank_sampler"]
