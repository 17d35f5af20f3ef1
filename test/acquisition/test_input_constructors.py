from typing import Any

import pytest
import torch
from botorch.acquisition.input_constructors import get_acqf_input_constructor
from botorch.acquisition.objective import (
    ExpectationPosteriorTransform,
    PosteriorTransform,
    ScalarizedPosteriorTransform,
)
from botorch.exceptions import UnsupportedError
from helpers.acquisition import RECTIFIED, Case, Constrained, Kind
from helpers.toy import toy_data
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankAcquisitionFunction,
    RankingGP,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.data import from_top_k
from botorch_popbo.settings import AcquisitionSettings

GRID = toy_data(300, seed=8)[0].unsqueeze(-2)
CONSTRAINTS = (torch.ones(1, 1), torch.zeros(1, 1))

OPTIONS: list[tuple[Kind, dict[str, Any]]] = [
    (ExpectedRankingImprovement, {"K_m": 2}),
    (RectifiedLowerConfidenceBound, {"beta": 0.1}),
    (RectifiedLowerConfidenceBound, {"poisson_deviation": True}),
    *((kind, {"share": share}) for kind in RECTIFIED for share in (0.3, None)),
    *((kind, {"seed": 4}) for kind in RECTIFIED),
]


def built(case: Case, **options: Any) -> Tensor:
    kind = LogExpectedUtilityImprovement if case.kind is Constrained else case.kind
    construct = get_acqf_input_constructor(kind)
    return values(kind(**construct(model=case.model, **case.required, **options)))


def weighted(*weights: float) -> ScalarizedPosteriorTransform:
    return ScalarizedPosteriorTransform(torch.tensor(weights, dtype=torch.float64))


def values(function: RankAcquisitionFunction) -> Tensor:
    return function(GRID).detach()


@pytest.mark.parametrize("options", [{}, {"posterior_transform": weighted(1.0)}])
def test_what_is_not_given_keeps_its_default(case: Case, options: dict[str, Any]) -> None:
    assert torch.equal(built(case, **options), values(case.make()))


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_options_pass_through(
    kind: Kind, options: dict[str, Any], short_model: PoissonRankModel
) -> None:
    case = Case(kind, short_model)
    assert torch.equal(built(case, **options), values(case.make(**options)))
    assert not torch.equal(built(case, **options), values(case.make()))


@pytest.mark.parametrize("kind", [LogExpectedUtilityImprovement, ExpectedRankingImprovement])
def test_settings_pass_through(kind: Kind, gaussian_model: RankingGP) -> None:
    case, settings = Case(kind, gaussian_model), AcquisitionSettings(exploration=1.0)
    assert torch.equal(built(case, settings=settings), values(case.make(settings=settings)))
    assert not torch.equal(built(case, settings=settings), values(case.make()))


@pytest.mark.parametrize(
    "transform",
    [weighted(0.0), weighted(1.0, 1.0), ExpectationPosteriorTransform(n_w=2)],
)
def test_what_is_no_weight_of_the_outcome_is_refused(
    gaussian_model: RankingGP, transform: PosteriorTransform
) -> None:
    with pytest.raises(UnsupportedError, match="only take a weight of the outcome"):
        built(Case(LogExpectedUtilityImprovement, gaussian_model), posterior_transform=transform)


@pytest.mark.parametrize("kind", [LogExpectedUtilityImprovement, *RECTIFIED])
def test_a_minimised_outcome_is_that_of_the_mirrored_order(kind: Kind) -> None:
    X, Y = toy_data(9)
    Yvar = torch.full_like(Y, 0.01)
    found = built(Case(kind, RankingGP(X, -Y, Yvar).fit()), posterior_transform=weighted(-2.0))
    assert torch.equal(found, values(kind(RankingGP(X, Y, Yvar).fit())))


def test_an_order_that_has_no_mirror_image_is_refused() -> None:
    X, _ = toy_data(9)
    case = Case(
        LogExpectedUtilityImprovement, RankingGP(order=from_top_k(X, [0, 1, 2], range(3, 9))).fit()
    )
    with pytest.raises(UnsupportedError, match="learned from outcomes alone"):
        built(case, posterior_transform=weighted(-1.0))


def test_outcome_constraints_are_refused_without_models_of_slacks(case: Case) -> None:
    if case.required:
        assert torch.equal(built(case, constraints_tuple=CONSTRAINTS), values(case.make()))
        return
    with pytest.raises(UnsupportedError, match="constraints belong in the order"):
        built(case, constraints_tuple=CONSTRAINTS)
