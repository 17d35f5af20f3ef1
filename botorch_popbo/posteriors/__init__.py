"""Posteriors over rank counts."""

from botorch_popbo.posteriors.base import RankPosterior
from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior
from botorch_popbo.posteriors.negated_rank import NegatedRank
from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior

# Their samplers are registered together with the models'.
import botorch_popbo.models  # noqa: F401  # isort: skip

__all__ = ["GaussianRankPosterior", "NegatedRank", "PoissonRankPosterior", "RankPosterior"]
