"""What a fitted model makes of the distances of outcomes, whatever these are."""

import warnings

import pytest
import torch
from helpers.gaussian import unit_points
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.data import from_ordering

X = unit_points(20)
SMOOTH = -(X - 0.3).square().sum(-1)
TEST_X = unit_points(12, seed=1).unsqueeze(-2)


def fitted(outcomes: Tensor, points: Tensor = X, order_only: bool = False) -> RankingGP:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of equal outcomes
        return RankingGP(points, outcomes.unsqueeze(-1), order_only=order_only).fit()


def with_one(value: float) -> Tensor:
    """An awful outcome at the second best point; a wonderful one would first be looked into."""
    return SMOOTH.index_fill(0, SMOOTH.argsort()[-2], -value)


EXTREME = {
    "large": 1e300 * SMOOTH,
    "largest": torch.cat([torch.tensor([-1.7e308, 1.7e308], dtype=torch.double), SMOOTH[2:]]),
    "small": 1e-300 * SMOOTH,
    "denormal": 1e-320 * torch.arange(20.0).double(),
    "denormal gaps": torch.where(torch.arange(20) < 14, 1e-320 * torch.arange(20.0), SMOOTH),
    "one far above": with_one(1e300),
    "one far below": with_one(-1e300),
    "failures": SMOOTH.index_fill(0, SMOOTH.argsort()[:6], -torch.inf),
    "one success": torch.full_like(SMOOTH, -torch.inf).index_fill(0, torch.tensor([3]), 1e300),
    "failures and one outlier": with_one(1e300).index_fill(0, SMOOTH.argsort()[1:6], -torch.inf),
    "ties": (5.0 * SMOOTH).round(),
    "two levels": SMOOTH.gt(SMOOTH.median()).double(),
    "constant": torch.full_like(SMOOTH, 1e300),
    "zeros": torch.zeros_like(SMOOTH),
    "a unit in the last place": 1.0 + 2.0**-52 * SMOOTH.argsort().argsort().double(),
}


@pytest.mark.parametrize("outcomes", EXTREME.values(), ids=EXTREME)
def test_everything_is_finite(outcomes: Tensor) -> None:
    model = fitted(outcomes)
    points = TEST_X.clone().requires_grad_()
    value = LogExpectedUtilityImprovement(model)(points)
    [gradient] = torch.autograd.grad(value.sum(), points)
    posterior = model.posterior(TEST_X)
    informed = model.with_pending(TEST_X[:2, 0])
    for found in (value, gradient, posterior.mean, posterior.variance, model.noise):
        assert bool(found.isfinite().all())
    assert bool(informed.posterior(TEST_X).mean.isfinite().all())
    assert "nan" not in model.inferred
    succeeded = outcomes.isfinite()
    assert bool((model.incumbent == X[succeeded]).all(-1).any())


def utility(model: RankingGP, points: Tensor = TEST_X) -> Tensor:
    return model.posterior(points).mean.detach().flatten()


@pytest.mark.parametrize("name", ["constant", "zeros"])
def test_what_has_no_distances_is_its_order(name: str) -> None:
    found, expected = (
        fitted(EXTREME[name], order_only=alone).posterior(TEST_X) for alone in (False, True)
    )
    torch.testing.assert_close(found.mean, expected.mean, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(found.variance, expected.variance, rtol=1e-3, atol=1e-3)


def test_a_plateau_at_the_top_is_flat() -> None:
    top = SMOOTH.sort().values[-6]
    is_flat, outcomes = top <= SMOOTH, SMOOTH.clamp(max=top)
    told, alone = fitted(outcomes), fitted(outcomes, order_only=True)
    spread = [
        float(model.posterior(X[is_flat]).mean.std() / model.posterior(X).mean.std())
        for model in (told, alone)
    ]
    assert spread[0] < 0.12
    assert spread[0] < 0.7 * spread[1]
    # An increasing transform leaves the order what it is, and a tie a tie.
    other = fitted(outcomes.exp(), order_only=True)
    assert torch.equal(other.posterior(X).mean, alone.posterior(X).mean)


def test_what_is_nearer_than_outcomes_tell_apart_is_known() -> None:
    points = torch.tensor([0.0, 0.02, 0.3, 0.34, 0.6, 1.0]).double().unsqueeze(-1)
    steps = (4.0 * points.squeeze(-1)).floor()  # of 0.3 and 0.34 and of the first two the same
    assert fitted(steps, points).known_radius == pytest.approx((0.04 * 0.26) ** 0.5)
    assert fitted(steps, points, order_only=True).known_radius > 0.1
    smooth = fitted(points.squeeze(-1), points)
    assert smooth.known_radius == smooth.settings.known_radius


def test_a_failure_is_no_distance_away() -> None:
    failed = torch.cat([SMOOTH, torch.tensor([-torch.inf] * 3).double()])
    points = torch.cat([X, 1.0 + 0.1 * unit_points(3, seed=2)])
    model = fitted(failed, points)
    assert not bool(model.is_outlier.any())
    assert bool((utility(model, points)[-3:] < utility(model, X).min()).all())
    # What succeeded is as far apart as without them.
    assert float(torch.corrcoef(torch.stack([utility(model, X), SMOOTH]))[0, 1]) > 0.99


def test_a_failure_is_not_recommended_however_good_its_place() -> None:
    line = torch.linspace(0.0, 1.0, 21).double().unsqueeze(-1)
    outcomes = -(line.flatten() - 0.5).square().index_fill(0, torch.tensor(10), torch.inf)
    assert float(fitted(outcomes, line).incumbent) != 0.5


def test_one_outlier_moves_nothing_however_far_it_is() -> None:
    clean = fitted(SMOOTH)
    for value in (10.0, 1e300):
        model = fitted(with_one(value))
        assert torch.equal(model.known_X[model.is_outlier], X[SMOOTH.argsort()[-2]].unsqueeze(0))
        assert torch.equal(model.incumbent, clean.incumbent)
        both = torch.stack([utility(model), utility(clean)])
        assert float(torch.corrcoef(both)[0, 1]) > 0.99


def test_what_is_inferred_is_said() -> None:
    order = RankingGP(order=from_ordering(X, [3, 1, 2])).fit()
    for model in (fitted(SMOOTH, order_only=True), order):
        assert "% of their spread. Only their order counts." in model.inferred
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smooth = fitted(SMOOTH).inferred
        assert "Differences between values are trusted to within " in smooth
        assert smooth.endswith("%.")
        assert "Outliers set aside: 1." in fitted(with_one(9.0)).inferred
    for unit in (1.0, 1e-6):  # the deviation of the noise is 0.3 units
        noisy = 10.0 * SMOOTH + 0.3 * torch.sin(99.0 * torch.arange(20.0).double()) * 2.0**0.5
        [_, number] = fitted(unit * noisy).inferred.split("noisy by about ±")
        assert 0.15 < float(number.split(". ")[0]) / unit < 0.6
    gaps = 10.0 ** (8.0 * unit_points(20, seed=3)[:, 0])  # an order, of which distances say little
    torn = gaps.cumsum(0)[SMOOTH.argsort().argsort()]
    assert "do not support using differences between values." in fitted(torn).inferred
