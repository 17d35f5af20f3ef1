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

from botorch_popbo import (
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
    RankingGP,
)
from botorch_popbo.settings import ModelSettings

X = toy_data(16, seed=1)[0]
UNIT = (X - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0])
CENTERS = torch.tensor([[0.2, 0.3], [0.8, 0.6]], dtype=torch.double)
Y = -(UNIT.unsqueeze(1) - CENTERS).square().sum(-1)
ANYWHERE = toy_data(40, seed=5)[0].unsqueeze(-2)


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


def test_it_is_the_gain_in_hypervolume_where_known_utilities_are_as_expected() -> None:
    function = make()
    point = ANYWHERE[function(ANYWHERE).argmax()]
    known, drawn = [], []
    with manual_seed(1), torch.no_grad():
        for model in MODELS:
            expected = model.posterior(X).mean
            exact = model.condition_on_observations(X, expected, torch.full_like(expected, 1e-6))
            known.append(expected)
            drawn.append(exact.posterior(point).rsample(torch.Size([20_000])))
    front, new = torch.cat(known, -1), torch.cat(drawn, -1)
    worst, best = front.amin(0), front.amax(0)
    reference = worst - 0.1 * (best - worst)
    both = torch.cat([front.expand(len(new), -1, -1), new], dim=-2)
    gain = area(both, reference) - area(front, reference)
    assert function(point).exp().item() == pytest.approx(gain.mean().item(), rel=0.03)


def test_it_is_the_average_of_drawn_gains() -> None:
    function = make()
    promising = ANYWHERE[function(ANYWHERE).topk(5).indices]
    with manual_seed(0), torch.no_grad():
        drawn = function.draw_gains(promising.squeeze(-2), 20_000)
    torch.testing.assert_close(drawn.mean(0), function(promising).exp(), rtol=0.05, atol=1e-4)


@pytest.mark.parametrize("times", [2, 3])
def test_many_objectives_are_as_few_where_the_others_are_copies(times: int) -> None:
    function = LogExpectedFrontImprovement(MODELS * times)
    few, many = (f(ANYWHERE).argsort().argsort().double() for f in (make(), function))
    assert float(torch.corrcoef(torch.stack([few, many]))[0, 1]) > 0.6


def test_the_front_is_what_none_dominates() -> None:
    front = {tuple(x) for x in make().front.tolist()}
    dominated = (Y.unsqueeze(0) > Y.unsqueeze(1)).all(-1).any(-1)
    assert front <= {tuple(x) for x in X[~dominated].tolist()}
    assert 1 < len(front) < len(X)


@pytest.mark.parametrize("number", [500, 4])
def test_of_outcomes_tied_for_the_best_the_front_holds_one(number: int) -> None:
    best = Y[:, 0].topk(6).indices
    plateau = Y[:, 0].clamp_max(float(Y[best, 0].min()))
    outcomes = torch.stack([plateau, Y[:, 1]], dim=-1)
    fitted = models(outcomes, settings=ModelSettings(num_conditioned=number))
    found = LogExpectedFrontImprovement(fitted)
    front = {tuple(x) for x in found.front.tolist()}
    assert len(front & {tuple(x) for x in X[best].tolist()}) == 1


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
    ranked, order = Y.sort(0, descending=True)
    middle = 0.75 * ranked[8] + 0.25 * ranked[9]
    given = make(thresholds=middle)
    for number, model in enumerate(MODELS):
        # From either side as steep as the gap beyond.
        mean = model.posterior(X[order[7:11, number]]).mean.detach().flatten()
        steep = mean.diff() / ranked[7:11, number].diff()
        share = 0.75 * steep[2] / (0.75 * steep[2] + 0.25 * steep[0])
        torch.testing.assert_close(given.reference[number], mean[2].lerp(mean[1], share))
    one = make(thresholds=torch.tensor([middle[0].item(), math.nan]).double())
    expected = torch.stack([given.reference[0], make().reference[1]])
    torch.testing.assert_close(one.reference, expected)
    below = make(thresholds=ranked[-1] - 1.0)
    assert torch.equal(below.reference, make().reference)
    beyond = make(thresholds=ranked[0] + 1.0)
    assert beyond(ANYWHERE).isfinite().all(), "nothing reaches it"
    assert given(ANYWHERE).max() > given(ANYWHERE).min() + 1.0


def test_constraints_count_as_probabilities_and_leave_the_feasible_front() -> None:
    border = float(X[:, 0].median())
    slack = slack_model(border)
    twice, once = make(slack_models=[slack, slack]), make(slack_models=[slack])
    assert (twice.front[:, 0] >= border).all()
    feasible = X[X[:, 0] >= border]
    plain, constrained = (
        LogExpectedUtilityImprovement(MODELS[0], None, feasible, slacks)(ANYWHERE)
        for slacks in ((), (slack,))
    )
    torch.testing.assert_close(twice(ANYWHERE) - once(ANYWHERE), constrained - plain)
    assert torch.equal(make(slack_models=[slack_model(-9.0)])(ANYWHERE), make()(ANYWHERE))


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
