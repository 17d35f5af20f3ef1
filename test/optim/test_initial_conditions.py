import warnings
from typing import Any

import pytest
import torch
from botorch.acquisition import AcquisitionFunction, qSimpleRegret
from botorch.exceptions.warnings import BadInitialCandidatesWarning
from botorch.optim import optimize_acqf
from botorch.optim.initializers import gen_batch_initial_conditions
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.sampling import manual_seed
from helpers.toy import BOUNDS
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    UtilityModel,
    rank_initial_conditions,
)
from botorch_popbo.optim import initial_conditions


@pytest.fixture
def function(gaussian_model: PoissonRankModel) -> LogExpectedUtilityImprovement:
    return LogExpectedUtilityImprovement(gaussian_model)


def starts(function: LogExpectedUtilityImprovement, seed: int | None = 0) -> Tensor:
    with manual_seed(seed):
        return rank_initial_conditions(function, BOUNDS, q=1, num_restarts=8, raw_samples=64)


def generated(function: AcquisitionFunction, **options: Any) -> list[Tensor]:
    """By the generator under test and by BoTorch's, from the same random numbers."""
    found = []
    for generator in (rank_initial_conditions, gen_batch_initial_conditions):
        with manual_seed(0), warnings.catch_warnings():
            warnings.simplefilter("ignore", BadInitialCandidatesWarning)
            found.append(generator(function, BOUNDS, **options))
    return found


def best_distance(X: Tensor, model: PoissonRankModel) -> Tensor:
    """To the nearest of the five best evaluated points, in widths of the box."""
    data = model.rank_counts
    best = data.X[data.counts.topk(5, largest=False).indices]
    width = BOUNDS[1] - BOUNDS[0]
    return torch.cdist(X / width, best / width).amin(-1)


def test_they_lie_within_the_box(function: LogExpectedUtilityImprovement) -> None:
    X = starts(function)
    assert X.shape == (8, 1, 2)
    assert torch.equal(X.clamp(BOUNDS[0], BOUNDS[1]), X)
    tight = torch.tensor([[3.0, 1.0], [3.1, 1.1]]).double()  # far from the best points
    X = rank_initial_conditions(function, tight, q=1, num_restarts=8, raw_samples=64)
    assert torch.equal(X.clamp(tight[0], tight[1]), X)


def test_half_are_close_to_the_best_points(
    function: LogExpectedUtilityImprovement, gaussian_model: PoissonRankModel
) -> None:
    near = initial_conditions._near_best(gaussian_model, BOUNDS, 400)
    distance = best_distance(near.squeeze(-2), gaussian_model)
    assert distance.median() < 0.1
    assert distance.min() < 2e-3
    assert distance.max() > 0.2  # up to the next basin
    with manual_seed(0):
        wide = rank_initial_conditions(function, BOUNDS, q=1, num_restarts=2, raw_samples=64)
    assert wide.shape == (2, 1, 2)


def test_the_best_raw_samples_of_either_half_are_taken(
    function: LogExpectedUtilityImprovement, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = torch.full((32, 1, 2), 3.9).double()
    monkeypatch.setattr(initial_conditions, "_near_best", lambda *args: nowhere)
    X = starts(function)
    assert torch.equal(X[4:], nowhere[:4])
    value = function(X[:4]).detach()
    with manual_seed(0):
        anywhere = gen_batch_initial_conditions(
            function, BOUNDS, q=1, num_restarts=32, raw_samples=32
        )
    assert value.min() > function(anywhere).median()


def test_random_numbers_are_those_of_the_surrounding_seed(
    function: LogExpectedUtilityImprovement,
) -> None:
    before = torch.get_rng_state()
    first, again, other = (starts(function, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_the_seed_of_the_options_decides_alone(function: LogExpectedUtilityImprovement) -> None:
    found = []
    for seed in (0, 1):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            state = torch.get_rng_state()
            X = rank_initial_conditions(
                function, BOUNDS, q=1, num_restarts=4, raw_samples=32, options={"seed": 7}
            )
            assert torch.equal(torch.get_rng_state(), state)
        found.append(X)
    assert torch.equal(*found)


def test_ranks_may_also_be_those_of_a_network(long_model: PoissonRankModel) -> None:
    function = ExpectedRankingImprovement(long_model)
    with manual_seed(0):
        X = rank_initial_conditions(function, BOUNDS, q=1, num_restarts=4, raw_samples=32)
    assert X.shape == (4, 1, 2)


CONSTRAINTS = [(torch.tensor([0]), torch.tensor([1.0]).double(), 1.0)]


@pytest.mark.parametrize(
    "options",
    [
        {"fixed_features": {0: 1.0}},
        {
            "inequality_constraints": CONSTRAINTS,
            "options": {"seed": 3, "n_burnin": 99, "n_thinning": 2},
        },
        {"generator": lambda n, q, seed: torch.ones(n, q, 2).double()},
    ],
    ids=["fixed_features", "constraints", "generator"],
)
def test_the_rest_is_left_to_botorch(
    function: LogExpectedUtilityImprovement, options: dict[str, object]
) -> None:
    kwargs = {"q": 1, "num_restarts": 4, "raw_samples": 16, "options": {"seed": 3}} | options
    found, expected = generated(function, **kwargs)
    assert torch.equal(found, expected)


def test_a_polytope_is_sampled_by_a_short_walk(function: LogExpectedUtilityImprovement) -> None:
    kwargs = {"q": 1, "num_restarts": 4, "raw_samples": 16, "inequality_constraints": CONSTRAINTS}
    with manual_seed(0):
        found = rank_initial_conditions(function, BOUNDS, options={"seed": 3}, **kwargs)
    options = {"seed": 3, "n_burnin": 256, "n_thinning": 4}
    with manual_seed(0):
        expected = gen_batch_initial_conditions(function, BOUNDS, options=options, **kwargs)
    assert torch.equal(found, expected)
    assert (found[..., 0] >= 1.0).all()


def test_several_points_and_other_models_are_left_to_botorch(
    gaussian_model: PoissonRankModel,
) -> None:
    sampler = SobolQMCNormalSampler(torch.Size([16]), seed=0)
    batch = qSimpleRegret(UtilityModel(gaussian_model), sampler=sampler)
    options = {"num_restarts": 2, "raw_samples": 8, "options": {"seed": 3}}
    found, expected = generated(batch, q=2, **options)
    assert found.shape == (2, 2, 2)
    assert torch.equal(found, expected)


def test_optimize_acqf_takes_it(function: LogExpectedUtilityImprovement) -> None:
    options = {"q": 1, "num_restarts": 4, "raw_samples": 64}
    with manual_seed(0):
        _, value = optimize_acqf(function, BOUNDS, ic_generator=rank_initial_conditions, **options)
        _, plain = optimize_acqf(function, BOUNDS, **options)
    assert value >= plain - 0.1
