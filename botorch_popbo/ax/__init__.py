"""Rank-based strategies for Ax. Importing this registers every class with Ax's storage."""

from botorch_popbo.ax.generation_strategy import (
    generation_strategies,
    gp_generation_strategy,
    popbo_generation_strategy,
)
from botorch_popbo.ax.model import OutcomePoissonRankModel
from botorch_popbo.ax.rankings import report_comparisons, report_ranking
from botorch_popbo.ax.registration import register

register()

__all__ = [
    "OutcomePoissonRankModel",
    "generation_strategies",
    "gp_generation_strategy",
    "popbo_generation_strategy",
    "register",
    "report_comparisons",
    "report_ranking",
]
