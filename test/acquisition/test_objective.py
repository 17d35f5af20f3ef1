import pytest
import torch
from botorch.acquisition import (
    qLogExpectedImprovement,
    qSimpleRegret,
    qUpperConfidenceBound,
)
from botorch.acquisition.monte_carlo import MCAcquisitionFunction
from botorch.generation import MaxPosteriorSampling
from botorch.optim import optimize_acqf

from botorch_popbo import NegatedRank, PoissonRankModel

BOUNDS = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)


def make(kind: str, model: PoissonRankModel) -> MCAcquisitionFunction:
    if kind == "qLogEI":
        return qLogExpectedImprovement(model, best_f=-1.0, objective=NegatedRank())
    if kind == "qUCB":
        return qUpperConfidenceBound(model, beta=1.0, objective=NegatedRank())
    return qSimpleRegret(model, objective=NegatedRank())


@pytest.mark.parametrize("kind", ["qLogEI", "qUCB", "qSimpleRegret"])
def test_botorchs_functions_prefer_better_ranks(kind: str, long_model: PoissonRankModel) -> None:
    X = torch.rand(50, 1, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    function = make(kind, long_model)
    with torch.no_grad():
        value = function(X)
        rank = long_model.posterior(X).mean.flatten()
    assert rank[value.argmax()] == rank.min()
    assert value.argmin() == rank.argmax()
    candidate, _ = optimize_acqf(function, BOUNDS, q=2, num_restarts=2, raw_samples=16)
    assert candidate.shape == (2, 2)
    assert ((candidate >= 0) & (candidate <= 1)).all()


def test_thompson_sampling_picks_the_best_ranks(long_model: PoissonRankModel) -> None:
    X = torch.rand(50, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    chosen = MaxPosteriorSampling(long_model, objective=NegatedRank())(X, num_samples=3)
    best = X[long_model.posterior(X).mean.flatten().argmin()]
    assert (chosen == best).all()  # the rate of a network is certain, so every sample agrees
