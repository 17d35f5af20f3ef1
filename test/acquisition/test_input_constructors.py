from typing import Any

import pytest
import torch
from botorch.acquisition.input_constructors import get_acqf_input_constructor
from botorch.acquisition.objective import (
    ExpectationPosteriorTransform,
    ScalarizedPosteriorTransform,
)
from botorch.exceptions import UnsupportedError
from helpers.toy import toy_data
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)

Kind = type[RectifiedAcquisitionFunction]
BOTH = pytest.mark.parametrize("kind", [ExpectedRankingImprovement, RectifiedLowerConfidenceBound])


def built(kind: Kind, model: PoissonRankModel, **options: Any) -> RectifiedAcquisitionFunction:
    return kind(**get_acqf_input_constructor(kind)(model=model, **options))


def weighted(*weights: float) -> ScalarizedPosteriorTransform:
    return ScalarizedPosteriorTransform(torch.tensor(weights, dtype=torch.float64))


def grid_values(function: RectifiedAcquisitionFunction) -> Tensor:
    return function(toy_data(300, seed=8)[0].unsqueeze(-2)).detach()


@BOTH
def test_defaults_are_those_of_the_acquisition_function(
    kind: Kind, long_model: PoissonRankModel
) -> None:
    assert torch.equal(grid_values(built(kind, long_model)), grid_values(kind(long_model)))


@BOTH
def test_pending_points_and_shared_options_pass_through(
    kind: Kind, long_model: PoissonRankModel
) -> None:
    X_pending = toy_data(3, seed=8)[0]
    function = built(kind, long_model, X_pending=X_pending, q=0.3, seed=4)
    expected = kind(long_model, X_pending=X_pending, q=0.3, seed=4)
    assert torch.equal(function.X_pending, X_pending)
    assert torch.equal(grid_values(function), grid_values(expected))
    assert not torch.equal(grid_values(function), grid_values(kind(long_model, seed=4)))
    assert not torch.equal(
        grid_values(function), grid_values(built(kind, long_model, X_pending=X_pending, q=0.3))
    )


def test_own_options_pass_through(long_model: PoissonRankModel) -> None:
    eri = built(ExpectedRankingImprovement, long_model, K_m=2)
    assert torch.equal(grid_values(eri), grid_values(ExpectedRankingImprovement(long_model, K_m=2)))
    assert not torch.equal(grid_values(eri), grid_values(ExpectedRankingImprovement(long_model)))
    lcb = built(RectifiedLowerConfidenceBound, long_model, beta=0.1)
    expected = RectifiedLowerConfidenceBound(long_model, beta=0.1)
    assert torch.equal(grid_values(lcb), grid_values(expected))
    assert not torch.equal(grid_values(lcb), grid_values(RectifiedLowerConfidenceBound(long_model)))


@BOTH
def test_a_maximised_outcome_is_accepted(kind: Kind, long_model: PoissonRankModel) -> None:
    function = built(kind, long_model, posterior_transform=weighted(1.0))
    assert torch.equal(grid_values(function), grid_values(kind(long_model)))


@BOTH
@pytest.mark.parametrize("weights", [(-1.0,), (0.0,), (1.0, 1.0)])
def test_minimised_and_several_outcomes_are_refused(
    kind: Kind, weights: tuple[float, ...], long_model: PoissonRankModel
) -> None:
    with pytest.raises(UnsupportedError, match="Negate a minimised outcome before fitting"):
        built(kind, long_model, posterior_transform=weighted(*weights))


@BOTH
def test_other_transforms_are_refused(kind: Kind, long_model: PoissonRankModel) -> None:
    with pytest.raises(UnsupportedError, match="no posterior_transform but the identity; rank"):
        built(kind, long_model, posterior_transform=ExpectationPosteriorTransform(n_w=2))


@BOTH
def test_outcome_constraints_are_refused(kind: Kind, long_model: PoissonRankModel) -> None:
    constraints = (torch.ones(1, 1), torch.zeros(1, 1))
    with pytest.raises(UnsupportedError, match="constraints belong in the ranking"):
        built(kind, long_model, constraints_tuple=constraints)


def test_expected_utility_improvement_takes_pending_points(
    gaussian_model: PoissonRankModel,
) -> None:
    X_pending = toy_data(3, seed=8)[0]
    construct = get_acqf_input_constructor(LogExpectedUtilityImprovement)
    options = construct(
        model=gaussian_model, X_pending=X_pending, posterior_transform=weighted(1.0)
    )
    function = LogExpectedUtilityImprovement(**options)
    expected = LogExpectedUtilityImprovement(gaussian_model, X_pending=X_pending)
    X = toy_data(20, seed=9)[0].unsqueeze(-2)
    assert torch.equal(function(X), expected(X))
    with pytest.raises(UnsupportedError, match="Negate a minimised outcome before fitting"):
        construct(model=gaussian_model, posterior_transform=weighted(-1.0))
    with pytest.raises(UnsupportedError, match="constraints belong in the ranking"):
        construct(model=gaussian_model, constraints_tuple=(torch.ones(1, 1), torch.zeros(1, 1)))


@BOTH
def test_misspelt_options_are_refused(kind: Kind, long_model: PoissonRankModel) -> None:
    with pytest.raises(TypeError, match="qq"):
        built(kind, long_model, qq=0.3)
