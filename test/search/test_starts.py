import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    qLogNoisyExpectedImprovement,
    qSimpleRegret,
)
from botorch.exceptions.warnings import BadInitialCandidatesWarning
from botorch.optim.initializers import gen_batch_initial_conditions
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.sampling import manual_seed
from helpers.toy import BOUNDS
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
    RankingGP,
    rank_initial_conditions,
)
from botorch_popbo.settings import SearchSettings


def sampler() -> SobolQMCNormalSampler:
    return SobolQMCNormalSampler(torch.Size([16]), seed=0)


# Ours and BoTorch's, by the model.
FUNCTIONS: dict[str, tuple[str, Callable[[Any], AcquisitionFunction]]] = {
    "utility": ("gaussian_model", LogExpectedUtilityImprovement),
    "rank": ("long_model", ExpectedRankingImprovement),
    "stock": ("gaussian_model", lambda model: LogExpectedImprovement(model, best_f=0.0)),
    "noisy": (
        "gaussian_model",
        lambda model: qLogNoisyExpectedImprovement(model, model.known_X, sampler=sampler()),
    ),
}
CONSTRAINTS = [(torch.tensor([0]), torch.tensor([1.0]).double(), 1.0)]
WALK = {"n_burnin": 256, "n_thinning": 4}


def starts(
    function: AcquisitionFunction,
    seed: int = 0,
    generate: Callable[..., Any] = rank_initial_conditions,
    **options: Any,
) -> Tensor:
    options = {"bounds": BOUNDS, "q": 1, "num_restarts": 8, "raw_samples": 64} | options
    with manual_seed(seed), warnings.catch_warnings():
        warnings.simplefilter("ignore", BadInitialCandidatesWarning)
        found: Tensor = generate(function, **options)
    return found


botorchs = partial(starts, generate=gen_batch_initial_conditions)


@pytest.mark.parametrize("name", ["utility", "rank"])
def test_half_are_close_to_the_best_points(name: str, request: pytest.FixtureRequest) -> None:
    fixture, make = FUNCTIONS[name]
    model = request.getfixturevalue(fixture)
    near = starts(make(model), num_restarts=400, raw_samples=400)[200:].squeeze(-2)
    best, width = model.best_points(5), BOUNDS[1] - BOUNDS[0]
    distance = torch.cdist(near / width, best / width).amin(-1)
    assert distance.median() < 0.1
    assert distance.min() < 2e-3
    assert distance.max() > 0.2  # up to the next basin


def test_the_best_points_of_the_box_are_approached(gaussian_model: RankingGP) -> None:
    best, other = gaussian_model.best_points(15)[:2]
    middle, is_right = 0.5 * (best + other), best > other
    # Without the best point.
    box = torch.stack([BOUNDS[0].where(is_right, middle), middle.where(is_right, BOUNDS[1])])
    function = LogExpectedUtilityImprovement(gaussian_model)
    settings = SearchSettings(log10_radius=(-6.0, -5.0))
    near = starts(function, bounds=box, settings=settings)[4:].squeeze(-2)
    assert torch.cdist(near, gaussian_model.known_X).amin(-1).max() < 1e-3


def test_of_several_objectives_the_front_is_approached(gaussian_model: RankingGP) -> None:
    X = gaussian_model.known_X
    other = RankingGP(X, -X[:, :1].square()).fit()
    function = LogExpectedFrontImprovement([gaussian_model, other])
    near = starts(function, num_restarts=32)[16:].squeeze(-2)
    distance = [torch.cdist(near, points).amin(0) for points in (function.front, X)]
    assert len(function.front) > 1
    assert distance[0].max() < distance[1].max()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_numbers_are_those_of_the_surrounding_seed(
    name: str, request: pytest.FixtureRequest
) -> None:
    model, make = FUNCTIONS[name]
    function, before = make(request.getfixturevalue(model)), torch.get_rng_state()
    first, again, other = (starts(function, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("options", "walk"),
    [
        ({"fixed_features": {0: 1.0}}, {}),
        ({"inequality_constraints": CONSTRAINTS}, WALK),
        ({"equality_constraints": CONSTRAINTS}, WALK),
        ({"inequality_constraints": CONSTRAINTS}, {"n_burnin": 99, "n_thinning": 2}),
    ],
    ids=["fixed_features", "inequality", "equality", "own walk"],
)
def test_the_rest_is_left_to_botorch_with_a_short_walk(
    gaussian_model: RankingGP, options: dict[str, Any], walk: dict[str, int]
) -> None:
    function = LogExpectedUtilityImprovement(gaussian_model)
    expected = botorchs(function, **options, options={"seed": 3, **walk})
    given = {} if walk == WALK else walk
    assert torch.equal(starts(function, **options, options={"seed": 3, **given}), expected)
    assert walk == {} or (expected[..., 0] >= 1.0 - 1e-9).all()


def test_several_points_are_left_to_botorch(gaussian_model: RankingGP) -> None:
    joint = qSimpleRegret(gaussian_model, sampler=sampler())
    options: dict[str, Any] = {"q": 2, "options": {"seed": 3}}
    assert torch.equal(starts(joint, **options), botorchs(joint, **options))
