"""One model of each kind."""

from collections.abc import Callable
from functools import partial

import pytest
import torch
from helpers.toy import toy_data
from torch import Tensor

from botorch_popbo import PoissonRankModel, RankingGP, RankModel
from botorch_popbo.settings import PaperSettings

TEST_X = toy_data(7, seed=1)[0]
MODELS: dict[str, Callable[..., RankModel]] = {
    "ranking_gp": RankingGP,
    "poisson": partial(PoissonRankModel, settings=PaperSettings(num_steps=40)),
    "paper": PoissonRankModel.paper,
}
EACH = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def law(model: RankModel, X: Tensor = TEST_X) -> Tensor:
    """Moments of the posterior and of the rank."""
    posteriors = model.posterior(X), model.rank_posterior(X)
    return torch.stack([m for p in posteriors for m in (p.mean, p.variance)]).detach()
