import copy
from functools import cache
from typing import Any

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.fixed_feature import FixedFeatureAcquisitionFunction
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.models import SingleTaskGP
from botorch.models.transforms.input import Normalize
from contracts import AcquisitionContract
from helpers.acquisition import ALL, OF_RANKS, Case, Constrained, Kind, optimized
from helpers.toy import split_points, toy_data
from torch import Tensor

from botorch_popbo import (
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankingGP,
    RankModel,
)
from botorch_popbo.settings import ModelSettings

ANYWHERE = toy_data(100, seed=3)[0].unsqueeze(-2)
PENDING = toy_data(3, seed=9)[0]

# A line search that meets the jump at the edge of a promising region ends early, with a warning.
EDGE = pytest.mark.filterwarnings("ignore:.*Optimization failed")


# BoTorch warns of single precision.
@pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")
class TestContract(AcquisitionContract):
    @pytest.fixture(
        autouse=True, params=[(kind, True) for kind in ALL] + [(kind, False) for kind in OF_RANKS]
    )
    def choose(self, request: pytest.FixtureRequest) -> None:
        self.kind, self.is_gaussian = request.param

    def make_model(self, train_X: Tensor, train_Y: Tensor) -> RankModel:
        return copy.deepcopy(fitted(self.is_gaussian, train_X.dtype, train_X.device))

    def make_acquisition(self, model: RankModel) -> AcquisitionFunction:
        return self.kind(model, **({"slack_models": [model]} if self.kind is Constrained else {}))


@cache
def fitted(is_gaussian: bool, dtype: torch.dtype, device: torch.device) -> RankModel:
    X, Y = AcquisitionContract().make_data(dtype=dtype, device=device)
    return RankingGP(X, Y).fit() if is_gaussian else PoissonRankModel.paper(X, Y).fit()


def test_points_outside_of_the_baseline_are_not_known(case: Case) -> None:
    left_out, others = case.model.known_X[:1].unsqueeze(-2), case.model.known_X[1:]
    with_all, without = case.make(), case.make(X_baseline=others)
    assert with_all(left_out) <= case.ceiling
    assert without(left_out) > with_all(left_out)
    assert (without(others.unsqueeze(-2)) <= case.ceiling).all()
    nowhere = case.make(X_baseline=ANYWHERE.squeeze(-2))  # none was evaluated, so all count
    assert torch.equal(nowhere(ANYWHERE), with_all(ANYWHERE))


def test_known_and_pending_points_are_never_best(case: Case) -> None:
    function = case.make(X_pending=PENDING)
    known = torch.cat([case.model.known_X, PENDING]).unsqueeze(-2).requires_grad_()
    values = function(known)
    assert (values <= case.ceiling).all()
    assert function(ANYWHERE).max() > case.ceiling
    assert values.isfinite().all()
    assert torch.autograd.grad(values.sum(), known)[0].isfinite().all()


def test_pending_points_are_replaced_and_forgotten(case: Case) -> None:
    function = case.make()
    before = function(ANYWHERE)
    for row in (0, 1):
        function.set_X_pending(ANYWHERE[row])
        assert torch.equal(function.X_pending, ANYWHERE[row])
        now = function(ANYWHERE)
        assert now[row] <= case.ceiling
    assert torch.equal(case.make(X_pending=ANYWHERE[1])(ANYWHERE), now)
    assert torch.equal(case.make()(ANYWHERE), before), "the model itself is not changed"
    for nothing in (None, PENDING[:0]):
        function.set_X_pending(nothing)
        assert torch.equal(function(ANYWHERE), before)


def test_a_wrapper_may_tell_which_points_are_pending(case: Case) -> None:
    others, whole = PENDING[:, 1:], PENDING.clone()
    whole[:, 0] = 0.5
    wrapped = FixedFeatureAcquisitionFunction(case.make(), 2, [0], [0.5])
    before = wrapped(others.unsqueeze(-2))
    wrapped.set_X_pending(others)  # it assigns the attribute
    pending = case.make(X_pending=whole)(whole.unsqueeze(-2))
    assert torch.equal(wrapped(others.unsqueeze(-2)), pending)
    wrapped.set_X_pending(None)
    assert torch.equal(wrapped(others.unsqueeze(-2)), before)


@pytest.mark.parametrize(("kind", "bound"), list(zip(OF_RANKS, [0.01, -1.99], strict=True)))
def test_distances_are_those_of_encoded_points(kind: Kind, bound: float) -> None:
    # 0.5 apart is far in the unit cube, but a ten-thousandth of this domain.
    X, Y = toy_data(15)
    point = 5_000.0 * split_points(PoissonRankModel.paper(X, Y).fit(), 0.4)[0][:1]
    function = kind(PoissonRankModel.paper(5_000.0 * X, Y).fit(), X_pending=point + 0.5)
    assert function(point.unsqueeze(-2)) < bound


def test_known_points_beyond_those_that_stand_for_all_are_known() -> None:
    model = RankingGP(*toy_data(30), settings=ModelSettings(num_conditioned=12)).fit()
    function = LogExpectedUtilityImprovement(model, X_pending=PENDING)
    known = torch.cat([model.known_X, PENDING]).unsqueeze(-2)
    assert (function(known) < -700.0).all()


@pytest.mark.parametrize("X", [ANYWHERE[:8, 0], ANYWHERE[:8].reshape(4, 2, 2)])
def test_several_points_have_no_value_together(case: Case, X: Tensor) -> None:
    function = case.make()
    with pytest.raises(UnsupportedError, match="sequential=True"):
        function(X)
    assert function(X[..., :1, :]).numel() == X.numel() / X.shape[-2] / 2


def test_points_of_another_space_are_named(case: Case) -> None:
    for points in (PENDING[0], PENDING[:, :1], PENDING.unsqueeze(0)):
        for name in ("X_pending", "X_baseline"):
            with pytest.raises(BotorchTensorDimensionError, match=f"{name} of shape m x 2"):
                case.make(**{name: points})
    with pytest.raises(InputDataError, match="X_pending holds NaN"):
        case.make(X_pending=torch.full((1, 2), torch.nan).double())


def test_another_model_is_named(case: Case) -> None:
    model: Any = SingleTaskGP(*toy_data(5), input_transform=Normalize(2))
    with pytest.raises(UnsupportedError, match=r"a model of an order.* got a SingleTaskGP"):
        case.kind(model, **case.required)


@EDGE
def test_a_sequence_of_searches_suggests_new_points(case: Case) -> None:
    function = case.make()
    X = optimized(function, q=3, sequential=True)
    assert X.shape == (3, 2)
    assert_new_and_distinct(X, case.model)
    assert function(X[:1].unsqueeze(-2)) >= function(ANYWHERE).quantile(0.9)


def assert_new_and_distinct(X: Tensor, model: RankModel) -> None:
    """Away from all known points and from each other, in the unit cube."""
    low, high = model.known_X.amin(0), model.known_X.amax(0)
    everything = (torch.cat([model.known_X, X]) - low) / (high - low)
    distance = torch.cdist(everything, everything) + torch.eye(len(everything))
    assert distance[-len(X) :].min() > (0.001 if model.has_uncertainty else 0.01)
