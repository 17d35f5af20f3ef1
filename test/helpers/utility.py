"""Gaussian processes on a utility, fitted to outcomes without transform."""

from typing import Any

import torch
from helpers.gaussian import unit_points
from torch import Tensor

from botorch_popbo import RankingGP

X = unit_points(30)
SMOOTH = -(X - 0.3).square().sum(-1)
TEST_X = unit_points(6, seed=1)


def fitted(outcomes: Tensor, points: Tensor = X, **options: Any) -> RankingGP:
    options = {"input_transform": None} | options
    return RankingGP(points, outcomes.unsqueeze(-1).to(points), **options).fit()


def with_an_outlier() -> Tensor:
    """A bad point, beside which there is another, has the best outcome."""
    outcomes = SMOOTH.clone()
    outcomes[SMOOTH.argsort()[7]] = 1.0
    return outcomes


def predicted(model: RankingGP, points: Tensor = TEST_X) -> Tensor:
    posterior = model.rank_posterior(points)
    return torch.cat([posterior.mean, posterior.variance, posterior.log_rate], -1).detach()


def with_a_surprise(*near: float) -> RankingGP:
    """A corner far from all points has the best outcome, and near it some others were observed."""
    corner = torch.ones(1, 2).double()
    far = X[(X - corner).norm(dim=-1) > 0.4][:16]
    others = torch.tensor([[1.0, 0.95 - 0.05 * i] for i in range(len(near))]).reshape(-1, 2)
    outcomes = torch.cat([-(far - 0.3).square().sum(-1), torch.tensor([1.0, *near]).double()])
    return fitted(outcomes, torch.cat([far, corner, others.double()]))
