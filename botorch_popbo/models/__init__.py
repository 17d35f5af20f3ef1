"""Models of an order: a Gaussian process on its utility, and the paper's Poisson process."""

from botorch_popbo.models.input_transforms import OneHotCategories
from botorch_popbo.models.kernels import RoughMaternKernel
from botorch_popbo.models.marginal_log_likelihood import OrderMarginalLogLikelihood
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.paper.poisson_rank_model import PoissonRankModel

# Registers samplers and sample paths with BoTorch, and needs the models.
import botorch_popbo.sampling  # isort: skip

# Needs the models, and is needed by the paper's functions.
import botorch_popbo.acquisition  # noqa: F401  # isort: skip

__all__ = [
    "OneHotCategories",
    "OrderMarginalLogLikelihood",
    "PoissonRankModel",
    "RankModel",
    "RankingGP",
    "RoughMaternKernel",
]
