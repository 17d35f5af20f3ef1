"""What a search relies on, whatever the data look like. That no NaN comes out is in ``fuzz.py``.

The model hears distances, and still keeps the order: of any unit, offset, precision, penalty.
"""

import warnings
from typing import Any

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from helpers.gaussian import unit_points
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from torch import Tensor
from torch.autograd.functional import hessian

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RankingGP,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.models.records import Records

X = unit_points(30).float().double()
TEST_X = unit_points(12, seed=1)
#: Always the same examples. They are not shrunk, as each fits two models.
FEW = settings(max_examples=3, derandomize=True, deadline=None, phases=[Phase.generate])

optima = st.tuples(st.floats(0.1, 0.9), st.floats(0.1, 0.9))


def bowl(optimum: tuple[float, float], bits: int) -> Tensor:
    """Outcomes between -8 and 0 that are whole multiples of ``2 ** -bits``."""
    slope = torch.tensor([1.0, 3.0]).double()
    exact = -(slope * (X - torch.tensor(optimum).double()).square()).sum(-1)
    return (exact * 2.0**bits).round() / 2.0**bits


def fitted(outcomes: Tensor, points: Tensor = X, **options: Any) -> RankingGP:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of single precision
        return RankingGP(points.to(outcomes), outcomes.unsqueeze(-1), **options).fit()


def utilities(model: RankingGP, points: Tensor = X) -> Tensor:
    with torch.no_grad():
        return model.posterior(points.to(model.known_X)).mean.squeeze(-1).double()


def assert_alike(model: RankingGP, other: RankingGP) -> None:
    mean, expected = utilities(model, TEST_X), utilities(other, TEST_X)
    torch.testing.assert_close(mean, expected, rtol=0.0, atol=0.01 * float(expected.std()))
    assert torch.equal(model.incumbent.double(), other.incumbent.double())


@FEW
@given(optimum=optima, unit=st.integers(-40, 40), offset=st.integers(-(10**9), 10**9))
def test_neither_units_nor_offsets_nor_rows_change_anything_in_either_precision(
    optimum: tuple[float, float], unit: int, offset: int
) -> None:
    rows = torch.randperm(len(X), generator=torch.Generator().manual_seed(offset % 1000))
    for bits, shift, dtype in ((16, offset, torch.double), (11, offset % 8000 - 4000, torch.float)):
        outcomes = bowl(optimum, bits)
        moved = (2.0**unit * (outcomes + shift)).to(dtype)  # without rounding
        assert len(moved.unique()) == len(outcomes.unique())
        assert_alike(fitted(moved[rows], X[rows]), fitted(outcomes))


def penalized(truth: Tensor, share: float, penalty: float, spread: float, seed: int = 0) -> Tensor:
    """The worst return a penalty instead, times a random factor from 1 to ``1 + spread``."""
    is_bad = torch.zeros(len(truth), dtype=torch.bool)
    is_bad[truth.argsort()[: int(share * len(truth))]] = True
    size = 1.0 + spread * unit_points(len(truth), 1, seed).squeeze(-1)
    return truth.where(~is_bad, -penalty * size)


def agreement(model: RankingGP, truth: Tensor, share: float) -> float:
    """Rank correlation with the truth of those that are not penalized."""
    is_good = truth.argsort().argsort() >= int(share * len(truth))
    return float(spearmanr(utilities(model)[is_good], truth[is_good]).statistic)


@settings(FEW, max_examples=8)
@given(
    optimum=optima,
    share=st.floats(0.0, 0.9),
    exponent=st.integers(3, 300),
    spread=st.sampled_from([0.0, 1.0, 1e-3]),
    seed=st.integers(0, 2**31),
)
def test_penalties_hide_nothing(
    optimum: tuple[float, float], share: float, exponent: int, spread: float, seed: int
) -> None:
    truth = bowl(optimum, bits=40)
    outcomes = penalized(truth, share, 10.0**exponent, spread, seed)
    model, alone = fitted(outcomes), fitted(outcomes, order_only=True)
    assert len(Records.from_order(model.order).level.unique()) == len(outcomes.unique())
    assert agreement(model, truth, share) >= agreement(alone, truth, share) - 0.1
    lost = [truth.max() - truth[(m.incumbent == X).all(-1)] for m in (model, alone)]
    assert lost[0] <= lost[1] + 0.02


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_the_size_of_penalties_changes_nothing(spread: float) -> None:
    truth = bowl((0.4, 0.4), bits=40)
    large, larger, largest = (
        fitted(penalized(truth, 0.7, penalty, spread)) for penalty in (1e9, 1e15, 8e307)
    )
    assert_alike(larger, large)
    assert_alike(largest, large)
    assert agreement(large, truth, 0.7) > 0.95


@pytest.mark.parametrize(
    "acquisition",
    [LogExpectedUtilityImprovement, ExpectedRankingImprovement, RectifiedLowerConfidenceBound],
)
def test_outcomes_in_another_unit_suggest_alike(acquisition: type[AcquisitionFunction]) -> None:
    f, points = bowl((0.4, 0.6), bits=40)[:15], TEST_X.unsqueeze(-2)
    expected, *others = (
        acquisition(fitted(outcomes, X[:15]))(points)
        for outcomes in (f, 1e200 * f, 1e-200 * f, 3.0 * f - 7.0)
    )
    for values in others:
        torch.testing.assert_close(values, expected, rtol=1e-3, atol=1e-3)


def test_an_acquisition_function_moves_as_a_whole() -> None:
    slack, points = X[:12, 0] - 0.2, TEST_X[:5].unsqueeze(-2)
    models = [fitted(outcomes, X[:12]) for outcomes in (bowl((0.4, 0.6), bits=40)[:12], slack)]
    function = LogExpectedUtilityImprovement(models[0], slack_models=models[1:])
    before = function(points)
    function.to(torch.float32)
    # Slack models are submodules, too.
    tensors = [*function.parameters(), *function.buffers(), *(m.known_X for m in models)]
    assert {values.dtype for values in tensors if values.is_floating_point()} == {torch.float32}
    after = function(points.float())
    assert after.dtype == torch.float32
    torch.testing.assert_close(after.double(), before, rtol=1e-2, atol=1e-2)
    function.set_X_pending(points[0].float())
    function.set_X_pending(None)
    torch.testing.assert_close(function(points.float()), after, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("is_predicted", [False, True])
def test_no_hessian_is_one_of_zeros(is_predicted: bool) -> None:
    model = fitted(X[:8].sum(-1), X[:8])
    acquisition = LogExpectedUtilityImprovement(model)
    with pytest.raises(NotImplementedError, match="second derivative"):
        hessian(lambda x: (model(x).mean if is_predicted else acquisition(x)).sum(), X[:1] / 2)
    with torch.no_grad():
        assert acquisition(TEST_X[:1]).isfinite()
