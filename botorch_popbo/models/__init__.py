"""Rank-based surrogate models."""

from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.models.rank_log_likelihood import RankLogLikelihood

__all__ = ["PoissonRankModel", "RankLogLikelihood"]
