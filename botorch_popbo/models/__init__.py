"""Rank-based surrogate models."""

from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.models.rank_log_likelihood import RankLogLikelihood
from botorch_popbo.models.utility import UtilityModel

__all__ = ["PoissonRankModel", "RankLogLikelihood", "UtilityModel"]
