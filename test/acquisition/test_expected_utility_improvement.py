from typing import Any

import pytest
import torch
from botorch.exceptions import UnsupportedError
from botorch.optim import optimize_acqf, optimize_acqf_discrete
from botorch.utils.sampling import manual_seed
from helpers.toy import BOUNDS, toy_data
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import LogExpectedUtilityImprovement, PoissonRankModel, UtilityModel
from botorch_popbo.rates import gaussian_process

TEST_X = toy_data(20, seed=1)[0].unsqueeze(-2)


@pytest.fixture
def model(gaussian_model: PoissonRankModel) -> PoissonRankModel:
    return gaussian_model


def optimized(function: LogExpectedUtilityImprovement, **options: Any) -> Tensor:
    with manual_seed(0):
        return optimize_acqf(function, BOUNDS, num_restarts=4, raw_samples=128, **options)[0]


def test_it_is_the_augmented_improvement_over_the_incumbents_utility(
    model: PoissonRankModel,
) -> None:
    utility = UtilityModel(model)
    joint = utility.posterior(torch.cat([TEST_X, utility.incumbent.expand_as(TEST_X)], dim=-2))
    with manual_seed(0):
        draws = joint.sample(torch.Size([50_000])).squeeze(-1)
    gain = (draws[..., 0] - draws[..., 1]).clamp_min(0.0).mean(0)
    encoded, origin = model.encode(TEST_X), model.encode(utility.incumbent.unsqueeze(0))[0]
    *_, own = utility.rate.improvement_moments(encoded, origin)
    noise = utility.rate.noise.detach()
    expected = gain * (1.0 - (noise / (own.squeeze(-1) + noise)).sqrt())
    value = LogExpectedUtilityImprovement(model)(TEST_X).exp()
    likely = gain > 1e-3
    assert likely.sum() > 3
    torch.testing.assert_close(value[likely], expected[likely], rtol=0.1, atol=0)


def test_gradient(model: PoissonRankModel) -> None:
    X = TEST_X[:6].clone().requires_grad_()
    assert gradcheck(LogExpectedUtilityImprovement(model), X, eps=1e-6, atol=1e-5, rtol=1e-4)


def test_known_points_are_never_best(model: PoissonRankModel) -> None:
    function = LogExpectedUtilityImprovement(model, X_pending=TEST_X[0])
    known = torch.cat([model.rank_counts.X.unsqueeze(-2), TEST_X[:1]]).requires_grad_()
    value = function(known)
    assert value.isfinite().all()
    assert torch.autograd.grad(value.sum(), known)[0].isfinite().all()
    assert value.max() < function(TEST_X[1:]).min()


def test_known_points_beyond_those_that_stand_for_all_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gaussian_process, "_NUM_CONDITIONED", 12)
    model = PoissonRankModel(*toy_data(30)).fit()
    function = LogExpectedUtilityImprovement(model, X_pending=TEST_X[0])
    known = torch.cat([model.rank_counts.X.unsqueeze(-2), TEST_X[:1]])
    assert len(model.rate.X) == 12
    assert (function(known) < -700.0).all()


def test_pending_points_are_avoided(model: PoissonRankModel) -> None:
    function = LogExpectedUtilityImprovement(model)
    first = optimized(function, q=1)
    before = function(first.unsqueeze(-2))
    function.set_X_pending(first)
    assert torch.equal(function.X_pending, first)
    # What is expected of the neighbourhood of the pending point is part of the incumbent now.
    assert function((first + 0.01).unsqueeze(-2)) < before - 0.5
    second = optimized(function, q=1)
    assert (second - first).norm() > 0.01
    function.set_X_pending(None)
    assert torch.equal(function(first.unsqueeze(-2)), before)


def test_several_points_are_distinct(model: PoissonRankModel) -> None:
    X = optimized(LogExpectedUtilityImprovement(model), q=4, sequential=True)
    assert torch.equal(X.clamp(BOUNDS[0], BOUNDS[1]), X)
    distance = torch.cdist(X, torch.cat([model.rank_counts.X, X]))
    distance[:, -4:] += torch.eye(4)
    assert distance.min() > 1e-3
    choices = TEST_X.squeeze(-2)
    chosen, _ = optimize_acqf_discrete(LogExpectedUtilityImprovement(model), q=3, choices=choices)
    assert len(chosen.unique(dim=0)) == 3


def test_the_search_finds_what_is_better_than_anything_at_random(model: PoissonRankModel) -> None:
    function = LogExpectedUtilityImprovement(model)
    anywhere = function(toy_data(500, seed=2)[0].unsqueeze(-2))
    assert function(optimized(function, q=1)) > anywhere.max()


def test_a_utility_model_will_do(model: PoissonRankModel) -> None:
    function = LogExpectedUtilityImprovement(model)
    assert isinstance(function.model, UtilityModel)
    assert function.rank_model is model
    again = LogExpectedUtilityImprovement(function.model)
    assert torch.equal(again(TEST_X), function(TEST_X))


def test_monotone_transforms_of_the_outcomes_change_nothing() -> None:
    X, Y = toy_data(15)
    expected, transformed = (
        LogExpectedUtilityImprovement(PoissonRankModel(X, y).fit())(TEST_X) for y in (Y, Y.exp())
    )
    assert torch.equal(transformed, expected)


def test_dtype_and_device(tkwargs: dict[str, Any]) -> None:
    model = PoissonRankModel(*toy_data(15, **tkwargs)).fit()
    value = LogExpectedUtilityImprovement(model)(TEST_X.to(**tkwargs))
    assert value.shape == (20,)
    assert value.dtype == tkwargs["dtype"]
    assert value.device.type == tkwargs["device"].type
    assert value.isfinite().all()


def test_a_network_is_refused_with_advice(short_model: PoissonRankModel) -> None:
    with pytest.raises(UnsupportedError, match='use preset="default", or an acquisition function'):
        LogExpectedUtilityImprovement(short_model)


def test_what_it_cannot_do_is_refused(model: PoissonRankModel) -> None:
    function = LogExpectedUtilityImprovement(model)
    with pytest.raises(AssertionError, match="q=1"):
        function(torch.zeros(4, 2, 2).double())
    with pytest.raises(UnsupportedError, match="detach X_pending"):
        function.set_X_pending(TEST_X[0].clone().requires_grad_())
