"""Samplers for posteriors over rank counts."""

from botorch_popbo.sampling.get_sampler import get_poisson_rank_sampler

__all__ = ["get_poisson_rank_sampler"]
