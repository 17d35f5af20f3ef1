"""BoTorch's own acquisition functions in place of ours."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogExpectedImprovement,
    qLogNoisyExpectedImprovement,
    qSimpleRegret,
    qUpperConfidenceBound,
)
from botorch.exceptions import UnsupportedError
from botorch.generation import MaxPosteriorSampling
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from helpers.toy import BOUNDS, toy_data

from botorch_popbo import NegatedRank, PoissonRankModel, RankModel

X_TEST = toy_data(50, seed=3)[0].unsqueeze(-2)

# On a utility they are used as they are; on rank counts they maximise the negated count.
STOCK: list[tuple[Callable[..., AcquisitionFunction], dict[str, Any]]] = [
    (UpperConfidenceBound, {"beta": 1.0}),
    (qLogExpectedImprovement, {"best_f": -1.0}),
    (qUpperConfidenceBound, {"beta": 1.0}),
    (qSimpleRegret, {}),
]


@pytest.mark.parametrize(("kind", "options"), STOCK)
@pytest.mark.parametrize("name", ["long_model", "gaussian_model"])
def test_they_prefer_better_ranks(
    kind: Callable[..., AcquisitionFunction],
    options: dict[str, Any],
    name: str,
    request: pytest.FixtureRequest,
) -> None:
    model: RankModel = request.getfixturevalue(name)
    transform = None if model.has_uncertainty else NegatedRank()
    function = kind(model, **options, posterior_transform=transform)
    with torch.no_grad():
        value, rank = function(X_TEST), model.rank_posterior(X_TEST).mean.flatten()
    assert rank[value.topk(10).indices].mean() < rank.mean() < rank[value.argmin()]
    if not model.has_uncertainty:
        assert rank[value.argmax()] == rank.min()
        assert value.argmin() == rank.argmax()
    q = 1 if isinstance(function, UpperConfidenceBound) else 2
    X, _ = optimize_acqf(function, BOUNDS, q=q, num_restarts=2, raw_samples=16)
    assert torch.equal(X, X.clamp(BOUNDS[0], BOUNDS[1]))


def test_thompson_sampling_picks_the_best_ranks(long_model: PoissonRankModel) -> None:
    X = X_TEST.squeeze(-2)
    sampling = MaxPosteriorSampling(long_model, posterior_transform=NegatedRank())
    best = X[long_model.posterior(X).mean.flatten().argmin()]
    # The rate of a network is certain, so every sample agrees.
    assert (sampling(X, num_samples=3) == best).all()


@pytest.mark.parametrize(("kind", "options"), STOCK)
def test_counts_are_never_maximised(
    kind: Callable[..., AcquisitionFunction], options: dict[str, Any], long_model: PoissonRankModel
) -> None:
    with pytest.raises(UnsupportedError, match=r"Pass posterior_transform=NegatedRank\(\)"):
        kind(long_model, **options)(X_TEST)


README = (Path(__file__).parents[2] / "README.md").read_text()
CODE = next(
    code
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    if "optimize_acqf" in code
)
OURS = "LogExpectedUtilityImprovement(model)"


@pytest.mark.parametrize(
    "function",
    [
        OURS,
        "LogExpectedImprovement(model, best_f=model.posterior(train_X).mean.max())",
        "qLogNoisyExpectedImprovement(model, X_baseline=train_X)",
    ],
)
def test_the_readmes_example_takes_them_with_no_other_line_changed(function: str) -> None:
    assert CODE.count(OURS) == 1
    names = {
        "LogExpectedImprovement": LogExpectedImprovement,
        "qLogNoisyExpectedImprovement": qLogNoisyExpectedImprovement,
    }
    with manual_seed(0):
        exec(CODE.replace(OURS, function), names)
    assert names["candidate"].shape == (1, 2)
    distance = [(X - 0.3).norm(dim=-1).min() for X in (names["candidate"], names["train_X"])]
    assert distance[0] < distance[1]
