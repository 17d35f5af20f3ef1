"""Posteriors over rank counts."""

from importlib import import_module
from typing import TYPE_CHECKING

from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior
from botorch_popbo.posteriors.rank_posterior import RankPosterior

if TYPE_CHECKING:
    from botorch_popbo.paper.posterior import NegatedRank, PoissonRankPosterior

__all__ = ["GaussianRankPosterior", "NegatedRank", "PoissonRankPosterior", "RankPosterior"]


def __getattr__(name: str) -> object:
    """Load the paper's posterior, which needs those above, when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("botorch_popbo.paper.posterior"), name)
