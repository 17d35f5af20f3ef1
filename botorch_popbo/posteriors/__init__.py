"""Posteriors over rank counts."""

from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior
from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior
from botorch_popbo.posteriors.base import RankPosterior

__all__ = ["GaussianRankPosterior", "PoissonRankPosterior", "RankPosterior"]
