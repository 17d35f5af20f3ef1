"""Posteriors over rank counts."""

from botorch_popbo.paper.posterior import NegatedRank, PoissonRankPosterior
from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior
from botorch_popbo.posteriors.rank_posterior import RankPosterior

__all__ = ["GaussianRankPosterior", "NegatedRank", "PoissonRankPosterior", "RankPosterior"]
