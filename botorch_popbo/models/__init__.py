"""Models of an order: a Gaussian process on its utility, and the paper's Poisson process."""

from botorch_popbo.models._rank_log_likelihood import RankLogLikelihood
from botorch_popbo.models.base import RankModel
from botorch_popbo.models.input_transforms import OneHotCategories
from botorch_popbo.models.kernels import RoughMaternKernel
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.models.rates import MLPRate, Rate

# Registers samplers and sample paths with BoTorch, and needs the models.
import botorch_popbo.sampling  # noqa: F401  # isort: skip

__all__ = [
    "MLPRate",
    "OneHotCategories",
    "PoissonRankModel",
    "RankLogLikelihood",
    "RankModel",
    "RankingGP",
    "Rate",
    "RoughMaternKernel",
]
