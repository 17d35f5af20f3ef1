"""The models that are compared."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from botorch.models import SingleTaskGP
from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
from torch import Tensor

from botorch_popbo.benchmarks.methods import _gaussian_processes as botorch_gp
from botorch_popbo.models import PoissonRankModel, RankingGP, RankModel

# Of the variance of the outcomes: as good as none, and enough for a Cholesky decomposition.
_NO_NOISE = 1e-6


@dataclass(frozen=True)
class RankedModel:
    """A model that can rank points; ``color`` is for plots.

    To predict is to fit it to ``N x 1`` points, ``N x 1`` outcomes (larger is better) and a seed,
    and to score other points, ``m x 1``: a tensor of ``m`` values, of which smaller are better.
    """

    description: str
    color: str
    predict: Callable[[Tensor, Tensor, int, Tensor], Tensor]


def _value_model(
    description: str, color: str, make: Callable[[Tensor, Tensor], SingleTaskGP]
) -> RankedModel:
    def predict(X: Tensor, Y: Tensor, seed: int, points: Tensor) -> Tensor:
        mean: Tensor = botorch_gp.fit(make(X, Y)).posterior(points).mean
        return -mean.squeeze(-1)

    return RankedModel(description, color, predict)


def _rank_model(
    description: str, color: str, make: Callable[[Tensor, Tensor, int], RankModel]
) -> RankedModel:
    def predict(X: Tensor, Y: Tensor, seed: int, points: Tensor) -> Tensor:
        return make(X, Y, seed).fit().rank_posterior(points).mean.squeeze(-1)

    return RankedModel(description, color, predict)


def _interpolating(X: Tensor, Y: Tensor) -> SingleTaskGP:
    return SingleTaskGP(X, Y, torch.full_like(Y, _NO_NOISE * float(Y.var())))


def _robust(X: Tensor, Y: Tensor) -> SingleTaskGP:
    return RobustRelevancePursuitSingleTaskGP(X, Y, prior_mean_of_support=len(X) // 5)


#: By name. Tol's muted palette: reds for models of values, blues for models of ranks.
MODELS = {
    "gp": _value_model("BoTorch's SingleTaskGP, noise inferred", "#CC6677", SingleTaskGP),
    "gp-noise-free": _value_model(
        "the same, told that there is no noise", "#DDCC77", _interpolating
    ),
    "robust-gp": _value_model("BoTorch's relevance pursuit for outliers", "#882255", _robust),
    "popbo-paper": _rank_model(
        "ranks: network of the paper",
        "#88CCEE",
        lambda X, Y, seed: PoissonRankModel.paper(X, Y, seed=seed),
    ),
    "popbo-default": _rank_model(
        "ranks: default model", "#332288", lambda X, Y, seed: RankingGP(X, Y)
    ),
}
