from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.exceptions import UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from helpers.acquisition import OF_UTILITIES, Case, Constrained, Kind, optimized, slack_model
from helpers.toy import BOUNDS, toy_data
from helpers.utility import with_a_surprise
from torch.autograd import gradcheck

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankAcquisitionFunction,
    RankingGP,
)
from botorch_popbo.models.input_transforms import InactiveColumns
from botorch_popbo.settings import AcquisitionSettings

TEST_X = toy_data(20, seed=1)[0].unsqueeze(-2)


def noisy_model() -> RankingGP:
    X, Y = toy_data(15)
    noise = torch.randn(Y.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return RankingGP(X, Y + 0.1 * noise).fit()


@pytest.mark.parametrize("exploration", [0.5, 1.0])
@pytest.mark.parametrize(("is_noisy", "has_best"), [(False, True), (False, False), (True, True)])
def test_it_is_the_augmented_improvement_over_the_incumbents_utility(
    is_noisy: bool, has_best: bool, exploration: float, gaussian_model: RankingGP
) -> None:
    model = noisy_model() if is_noisy else gaussian_model
    is_eligible = has_best | (model.known_X != model.incumbent).any(-1)
    incumbent = model.incumbent_among(is_eligible)
    points = toy_data(60, seed=1)[0].unsqueeze(-2)
    joint = model.posterior(torch.cat([points, incumbent.expand_as(points)], dim=-2))
    with manual_seed(0):
        draws = joint.sample(torch.Size([50_000])).squeeze(-1)
    difference = draws[..., 0] - draws[..., 1]
    mean = difference.mean(0)
    settings = AcquisitionSettings(exploration=exploration, doubt=0.01)
    gain = (mean + exploration * (difference - mean)).clamp_min(0.0).mean(0)
    gain = gain + 0.01 * difference.std(0)
    encoded, origin = model.encode(points), model.encode(incumbent.unsqueeze(0))[0]
    *_, removable = model.differences_from(origin).moments(encoded)
    noise = model.noise.detach()
    expected = gain * (1.0 - (noise / (removable.squeeze(-1) + noise)).sqrt())
    function = LogExpectedUtilityImprovement(
        model, X_baseline=model.known_X[is_eligible], settings=settings
    )
    likely = gain > 3e-3
    assert likely.sum() > 3
    torch.testing.assert_close(function(points).exp()[likely], expected[likely], rtol=0.1, atol=0)


@pytest.mark.parametrize(("dim", "share"), [(10, 0.5), (15, 0.75), (20, 1.0), (30, 1.0)])
@pytest.mark.parametrize("function", [LogExpectedUtilityImprovement, ExpectedRankingImprovement])
def test_in_many_columns_more_of_the_deviation_counts(
    dim: int, share: float, function: Callable[..., Any]
) -> None:
    with manual_seed(0):
        X = torch.rand(15, dim, dtype=torch.double)
    model = RankingGP(X[:12], X[:12].square().sum(-1, keepdim=True))
    never = AcquisitionSettings(exploration=share, many_columns=(dim, dim + 1))
    other = X[12:].unsqueeze(-2)
    torch.testing.assert_close(function(model)(other), function(model, settings=never)(other))


def test_columns_without_a_meaning_do_not_make_many() -> None:
    # Column 0 decides between the nine behind it and the ten after those.
    dependents = {0: {0.0: [*range(1, 10)], 1.0: [*range(10, 20)]}}
    inactive = InactiveColumns(dependents, dict.fromkeys(range(1, 20), 0.5))
    with manual_seed(0):
        X = torch.rand(15, 20, dtype=torch.double)
    X[:, 0] = torch.arange(15) % 2
    model = RankingGP(X[:12], X[:12, :3].sum(-1, keepdim=True), input_transform=inactive).fit()
    half = AcquisitionSettings(many_columns=(20, 21))
    value, expected = (
        LogExpectedUtilityImprovement(model, settings=settings)(X[12:].unsqueeze(-2))
        for settings in (AcquisitionSettings(), half)
    )
    assert torch.equal(value, expected)
    assert model.covar_module.rotation is None


def test_a_surprise_is_followed() -> None:
    model = with_a_surprise()
    elsewhere = model.known_X[(model.known_X != 1.0).any(-1)]
    pending = torch.tensor([[0.95, 0.95]]).double()
    functions = {
        "near": LogExpectedUtilityImprovement(model),
        "being followed": LogExpectedUtilityImprovement(model, X_pending=pending),
        "not to be suggested": LogExpectedUtilityImprovement(model, X_baseline=elsewhere),
    }
    unit = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    with manual_seed(0):
        found, _ = optimize_acqf(functions["near"], unit, q=1, num_restarts=4, raw_samples=64)
    assert 0.0 < (found - model.surprise).norm() < 0.15
    middle = unit.mean(0, keepdim=True)
    assert [name for name, function in functions.items() if function(middle) < -100.0] == ["near"]
    assert gradcheck(functions["near"], TEST_X[:2, :, :2].clone().requires_grad_())


def test_a_surprise_among_choices_is_followed_until_its_neighbour_is_tried() -> None:
    corners = torch.cartesian_prod(*[torch.tensor([0.0, 1.0]).double()] * 4)
    known, far = corners[corners.sum(-1) != 1.0], corners[-1:].unsqueeze(-2) - 0.1
    model = RankingGP(known, -known.sum(-1, keepdim=True)).fit()
    model.surprise = known[:1]  # what is nearest to it differs in two choices of four
    before = LogExpectedUtilityImprovement(model)(far)
    for number, is_followed in ((1, False), (3, True)):
        pending = torch.zeros(1, 4).double()
        pending[:, :number] = 1.0
        function = LogExpectedUtilityImprovement(model, X_pending=pending)
        assert bool(function(far) < before + 2.0) == is_followed


def model_with_failures() -> RankingGP:
    X, Y = toy_data(15)
    return RankingGP(X, Y.where(X[:, :1] < 0.8, -torch.inf)).fit()


def rotated_model() -> RankingGP:
    model, angle = noisy_model(), torch.tensor(0.5).double()
    sine, cosine = angle.sin(), angle.cos()
    model.covar_module.rotation = torch.stack([cosine, -sine, sine, cosine]).reshape(2, 2)
    model.load_state_dict(model.state_dict())
    return model


@pytest.mark.parametrize("make", [noisy_model, model_with_failures, rotated_model])
def test_gradient(make: Callable[[], RankingGP]) -> None:
    X = TEST_X[:6].clone().requires_grad_()
    function = LogExpectedUtilityImprovement(make())
    assert gradcheck(function, X, eps=1e-6, atol=1e-5, rtol=1e-4)


def test_what_is_expected_of_pending_points_is_part_of_the_incumbent(
    gaussian_model: RankingGP,
) -> None:
    function = LogExpectedUtilityImprovement(gaussian_model)
    first = optimized(function, q=1, raw_samples=128)
    neighbour = (first + 0.01).unsqueeze(-2)
    before = function(neighbour)
    function.set_X_pending(first)
    assert function(neighbour) < before - 0.5
    assert (optimized(function, q=1, raw_samples=128) - first).norm() > 0.01


@pytest.mark.parametrize("kind", OF_UTILITIES)
def test_a_network_is_refused_with_advice(kind: Kind, short_model: PoissonRankModel) -> None:
    with pytest.raises(UnsupportedError, match=r"use RankingGP\. Or use"):
        Case(kind, short_model).make()


def test_failures_are_known_where_points_are_pending() -> None:
    X, Y = toy_data(8)
    Y[0] = -torch.inf
    model = RankingGP(X, Y).fit()
    pending = X[1:3] + 0.1
    informed = LogExpectedUtilityImprovement(model.with_pending(pending))
    function = LogExpectedUtilityImprovement(model, X_pending=pending)
    assert informed(X[3:4] + 0.3).isfinite()
    assert informed(X[3:4] + 0.3) == function(X[3:4] + 0.3)


def test_of_equal_outcomes_the_search_fills_the_space() -> None:
    X, _ = toy_data(6)
    for _ in range(4):
        with pytest.warns(InputDataWarning, match="All outcomes are equal"):
            model = RankingGP(X, torch.zeros(len(X), 1).double()).fit()
        x = optimized(LogExpectedUtilityImprovement(model), q=1)
        unit = model.encode(torch.cat([x, X]))
        assert torch.cdist(unit[:1], unit[1:]).min() > 0.1
        X = torch.cat([X, x])


def test_in_single_precision_a_bad_new_point_is_still_better() -> None:
    steps = torch.linspace(0.0, 1.0, 14)
    grid = torch.cartesian_prod(steps, steps)
    known = torch.ones(len(grid), dtype=torch.bool)
    known[[130, 153, 189]] = False  # among the worst, without doubt
    outcomes = -(grid - 0.3).square().sum(-1, keepdim=True)
    model = RankingGP(grid[known], outcomes[known]).fit()
    certain = AcquisitionSettings(doubt=0.0)
    value = LogExpectedUtilityImprovement(model, settings=certain)(grid.unsqueeze(-2))
    assert value.dtype == torch.float32
    assert value[~known].max() < -100.0
    assert value[~known].min() > value[known].max()


ALL, MIDDLE, NONE = -100.0, float(toy_data(15)[0][:, 0].median()), 100.0


def test_constraints_that_all_satisfy_change_nothing(gaussian_model: RankingGP) -> None:
    constrained = Constrained(gaussian_model, slack_models=[slack_model(ALL)])
    assert torch.equal(constrained(TEST_X), LogExpectedUtilityImprovement(gaussian_model)(TEST_X))


def test_it_is_the_improvement_over_the_best_feasible_point_times_the_probability(
    gaussian_model: RankingGP,
) -> None:
    is_feasible = gaussian_model.known_X[:, 0] >= MIDDLE
    assert not torch.equal(gaussian_model.incumbent_among(is_feasible), gaussian_model.incumbent)
    feasible = gaussian_model.known_X[is_feasible]
    plain, once, twice = (
        LogExpectedUtilityImprovement(
            gaussian_model, X_baseline=feasible, slack_models=[slack_model(MIDDLE)] * number
        )(TEST_X)
        for number in (0, 1, 2)
    )
    constrained = Constrained(gaussian_model, slack_models=[slack_model(MIDDLE)])
    assert torch.equal(constrained(TEST_X), once)
    assert (once <= plain).all()
    assert not torch.equal(once, plain)
    torch.testing.assert_close(twice - once, once - plain)


@pytest.mark.parametrize("objectives", [1, 2])
def test_without_a_feasible_point_only_the_probability_counts(
    gaussian_model: RankingGP, objectives: int
) -> None:
    def make(*slack_models: RankingGP) -> RankAcquisitionFunction:
        if objectives == 1:
            return LogExpectedUtilityImprovement(gaussian_model, slack_models=slack_models)
        return LogExpectedFrontImprovement([gaussian_model] * 2, slack_models=slack_models)

    slack = slack_model(NONE)
    torch.testing.assert_close(make(slack, slack)(TEST_X), 2.0 * make(slack)(TEST_X))
    points, _ = optimize_acqf(
        make(slack),
        BOUNDS,
        q=3,
        sequential=True,
        num_restarts=4,
        raw_samples=64,
        options={"seed": 0},
    )
    assert torch.pdist((points - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0])).min() > 0.01
