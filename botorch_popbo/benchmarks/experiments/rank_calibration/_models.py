"""The models whose laws of a rank are scored."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from botorch.models import SingleTaskGP
from torch import Tensor

from botorch_popbo.benchmarks.experiments.rank_calibration._functions import Sample
from botorch_popbo.benchmarks.methods import _gaussian_processes as botorch_gp
from botorch_popbo.models import PoissonRankModel, RankingGP, RankModel

#: From whether outcomes are meant, with their noise, to probabilities of the counts 0 .. N at the
#: new points, a tensor of shape ``m x (N + 1)``.
Law = Callable[[bool], Tensor]


@dataclass(frozen=True)
class CountModel:
    """A model of ranks; to fit it to a sample with a seed gives the law at the new points."""

    description: str
    fit: Callable[[Sample, int], Law]


def _ranks(sample: Sample, model: RankModel) -> Law:
    counts = torch.arange(len(sample.X) + 1, dtype=torch.float64)
    model.fit()
    return lambda noisy: model.rank_posterior(sample.new_X, noisy).log_prob(counts).exp()


def _popbo(sample: Sample, seed: int) -> Law:
    return _ranks(sample, RankingGP(sample.X, sample.Y))


def _paper(sample: Sample, seed: int) -> Law:
    return _ranks(sample, PoissonRankModel.paper(sample.X, sample.Y, seed=seed))


def _gp(sample: Sample, seed: int) -> Law:
    model = botorch_gp.fit(SingleTaskGP(sample.X, sample.Y))
    falling = sample.Y.flatten().sort(descending=True).values

    def law(noisy: bool) -> Tensor:
        posterior = model.posterior(sample.new_X, observation_noise=noisy)
        score = (falling - posterior.mean) / posterior.variance.sqrt()
        behind: Tensor = torch.special.ndtr(score)
        edges = torch.ones_like(behind[:, :1]), torch.zeros_like(behind[:, :1])
        return -torch.cat([edges[0], behind, edges[1]], dim=-1).diff(dim=-1)

    return law


#: By name.
MODELS = {
    "popbo": CountModel("ranks: default model", _popbo),
    "gp": CountModel("BoTorch's SingleTaskGP, which sees the outcomes themselves", _gp),
    "paper": CountModel("ranks: network of the paper", _paper),
}
