"""Posteriors over rank counts."""

from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior

__all__ = ["PoissonRankPosterior"]
