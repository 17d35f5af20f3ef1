"""The models whose rankings are judged, and what each says of the ranks of new points."""

from collections.abc import Callable
from typing import Any

import torch
from botorch.models import SingleTaskGP
from torch import Tensor

from botorch_popbo.benchmarks.methods import gaussian_processes as botorch_gp
from botorch_popbo.models import PoissonRankModel, RankingGP

# Of the variance of the outcomes: as good as none, and enough for a Cholesky decomposition.
_NO_NOISE = 1e-6


#: A fitted model that can rank points, of ``N x d`` points, ``N x 1`` outcomes (larger is better)
#: and a seed.
Fit = Callable[[Tensor, Tensor, int], Any]


def rank_scores(model: Any, points: Tensor) -> Tensor:
    """Scores of ``m x d`` points by a fitted model, of shape ``m``; the smaller, the better."""
    if isinstance(model, SingleTaskGP):
        return -model.posterior(points).mean.squeeze(-1)
    return model.rank_posterior(points).mean.squeeze(-1)


def rank_law(model: Any, Y: Tensor, points: Tensor, noisy: bool) -> Tensor:
    """Probabilities of the ranks 0 .. N of ``m x d`` points, ``m x (N + 1)``.

    A rank is the number of better outcomes among ``Y``, ``N x 1``: of the outcome at a point if
    ``noisy``, else of the value behind it.
    """
    if not isinstance(model, SingleTaskGP):
        counts = torch.arange(len(Y) + 1, dtype=torch.float64)
        return model.rank_posterior(points, noisy).log_prob(counts).exp()
    posterior = model.posterior(points, observation_noise=noisy)
    falling = Y.flatten().sort(descending=True).values
    behind = torch.special.ndtr((falling - posterior.mean) / posterior.variance.sqrt())
    certain = torch.ones_like(behind[:, :1])
    return -torch.cat([certain, behind, torch.zeros_like(certain)], dim=-1).diff(dim=-1)


def gp(X: Tensor, Y: Tensor, seed: int) -> SingleTaskGP:
    """BoTorch's SingleTaskGP, noise inferred."""
    return botorch_gp.fit(SingleTaskGP(X, Y))


def noise_free_gp(X: Tensor, Y: Tensor, seed: int) -> SingleTaskGP:
    """The same, without noise."""
    return botorch_gp.fit(SingleTaskGP(X, Y, torch.full_like(Y, _NO_NOISE * float(Y.var()))))


def paper(X: Tensor, Y: Tensor, seed: int) -> PoissonRankModel:
    """The network of the paper."""
    return PoissonRankModel.paper(X, Y, seed=seed).fit()


def default(X: Tensor, Y: Tensor, seed: int) -> RankingGP:
    """The default model."""
    return RankingGP(X, Y).fit()
