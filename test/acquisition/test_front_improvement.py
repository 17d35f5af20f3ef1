import math
from typing import Any

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.utils.sampling import manual_seed
from contracts import AcquisitionContract
from helpers.toy import BOUNDS, toy_data
from torch import Tensor

from botorch_popbo import LogExpectedFrontImprovement, RankingGP
from botorch_popbo.acquisition._slack_constraint import SlackConstraint

X = toy_data(16, seed=1)[0]
UNIT = (X - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0])
CENTERS = torch.tensor([[0.2, 0.3], [0.8, 0.6]], dtype=torch.double)
Y = -(UNIT.unsqueeze(1) - CENTERS).square().sum(-1)
ANYWHERE = toy_data(40, seed=5)[0].unsqueeze(-2)
PENDING = toy_data(3, seed=9)[0]


def models(Y: Tensor = Y, **options: Any) -> list[RankingGP]:
    return [RankingGP(X, y.unsqueeze(-1), **options).fit() for y in Y.T]


def slack_model(border: float) -> RankingGP:
    """Of a constraint that points right of the border satisfy."""
    return RankingGP(X, X[:, :1] - border).fit()


MODELS = models()


def make(**options: Any) -> LogExpectedFrontImprovement:
    return LogExpectedFrontImprovement(MODELS, **options)


def area(Z: Tensor, reference: Tensor) -> Tensor:
    """The area that is dominated by some of ``... x n x 2`` outcomes: strips under a staircase."""
    order = Z[..., :1].argsort(-2, descending=True).expand_as(Z)
    width, height = (Z - reference).clamp_min(0.0).gather(-2, order).unbind(-1)
    return -(width.diff(append=0.0 * width[..., :1]) * height.cummax(-1).values).sum(-1)


def test_it_is_the_gain_in_hypervolume_of_joint_samples() -> None:
    function = make()
    point = ANYWHERE[function(ANYWHERE).argmax()]
    with manual_seed(1), torch.no_grad():
        joint = function.objectives.posterior(torch.cat([X, point])).rsample(torch.Size([250]))
    gain = area(joint, function._reference) - area(joint[:, :-1], function._reference)
    assert function(point).exp().item() == pytest.approx(gain.mean().item(), rel=0.25)


def test_many_objectives_are_as_few_where_the_others_are_copies() -> None:
    function = LogExpectedFrontImprovement([*MODELS, *MODELS])
    assert function.gain is not None
    assert function.gain.sampler.sample_shape == (32,)
    few, many = (f(ANYWHERE).argsort().argsort().double() for f in (make(), function))
    assert float(torch.corrcoef(torch.stack([few, many]))[0, 1]) > 0.8


def test_the_front_is_what_none_dominates() -> None:
    front = {tuple(x) for x in make().front.tolist()}
    dominated = (Y.unsqueeze(0) > Y.unsqueeze(1)).all(-1).any(-1)
    assert front <= {tuple(x) for x in X[~dominated].tolist()}
    assert 1 < len(front) < len(X)


def test_increasing_transforms_of_an_objective_change_nothing() -> None:
    warped = torch.stack([(9.0 * Y[:, 0]).exp(), 1e3 * Y[:, 1] - 7.0], dim=-1)
    plain, other = (
        LogExpectedFrontImprovement(models(outcomes, order_only=True))(ANYWHERE)
        for outcomes in (Y, warped)
    )
    assert torch.equal(plain, other)


def test_the_units_of_the_objectives_change_nothing() -> None:
    other = models(torch.stack([1e-5 * Y[:, 0] + 2.0, 1e3 * Y[:, 1] - 7.0], dim=-1))
    values = LogExpectedFrontImprovement(other)(ANYWHERE)
    torch.testing.assert_close(values, make()(ANYWHERE), rtol=1e-3, atol=1e-3)


def test_a_pending_point_takes_the_gain_of_its_neighbours() -> None:
    function, point = make(), ANYWHERE[make()(ANYWHERE).argmax()]
    before, beside = function(ANYWHERE), point + 0.02
    alone = function(beside)
    function.set_X_pending(point)
    assert function(beside) < alone - 1.0
    function.set_X_pending(None)
    assert torch.equal(function(ANYWHERE), before)


def test_a_front_has_several_objectives_with_uncertainty_and_a_threshold_for_each(
    short_model: Any,
) -> None:
    with pytest.raises(UnsupportedError, match="has no uncertainty"):
        LogExpectedFrontImprovement([MODELS[0], short_model])
    for models_given in ([], MODELS[:1]):
        with pytest.raises(UnsupportedError, match="LogExpectedUtilityImprovement"):
            LogExpectedFrontImprovement(models_given)
    with pytest.raises(BotorchTensorDimensionError, match=r"thresholds of shape 2.*\(3,\)"):
        make(thresholds=torch.zeros(3).double())


def test_a_threshold_is_where_the_front_begins() -> None:
    levels = [
        model.posterior(model.known_X).mean.flatten().sort(descending=True).values
        for model in MODELS
    ]
    ranked = Y.sort(0, descending=True).values
    middle, beyond = ranked[8] - 1e-9, ranked[0] + 1.0
    given = make(thresholds=middle)
    assert given._reference.tolist() == [values[8:10].mean().item() for values in levels]
    one = make(thresholds=torch.tensor([middle[0].item(), math.nan]).double())
    assert one._reference[0] == given._reference[0]
    assert one._reference[1] == make()._reference[1]
    assert (make(thresholds=beyond)._reference <= make()._reference).all(), "nothing reaches it"
    below = make(thresholds=ranked[-1] - 1.0)._reference
    assert below.tolist() == [values[-1].item() for values in levels]
    assert given(ANYWHERE).max() > given(ANYWHERE).min() + 1.0


def test_constraints_count_as_probabilities_and_leave_the_feasible_front() -> None:
    border = float(X[:, 0].median())
    slack = slack_model(border)
    function = make(slack_models=[slack, slack])
    assert (function.front[:, 0] >= border).all()
    assert function.gain is not None
    expected = function.gain(ANYWHERE) + 2.0 * SlackConstraint(slack)(ANYWHERE).squeeze(-1)
    torch.testing.assert_close(function(ANYWHERE), expected)
    assert torch.equal(make(slack_models=[slack_model(-9.0)])(ANYWHERE), make()(ANYWHERE))


def test_another_seed_draws_other_samples() -> None:
    assert not torch.equal(make(seed=4)(ANYWHERE), make(seed=3)(ANYWHERE))


# BoTorch warns of single precision.
@pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")
class TestContract(AcquisitionContract):
    def make_model(self, train_X: Tensor, train_Y: Tensor) -> RankingGP:
        return RankingGP(train_X, train_Y).fit()

    def make_acquisition(self, model: Any) -> AcquisitionFunction:
        other = RankingGP(model.known_X, -model.known_X[:, :1].square()).fit()
        return LogExpectedFrontImprovement([model, other])


def test_an_objective_without_an_order_leaves_the_others_to_decide() -> None:
    with pytest.warns(InputDataWarning, match="All outcomes are equal"):
        flat = RankingGP(X, torch.zeros(len(X), 1).double()).fit()
    near = (X + 1e-2).unsqueeze(-2)
    first, last = (
        LogExpectedFrontImprovement(both)(near) for both in ([flat, MODELS[0]], [MODELS[0], flat])
    )
    assert (first - last).abs().median() < 1.0
