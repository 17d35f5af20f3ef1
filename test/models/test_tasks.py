"""Sources that help, say nothing, or are the same in other directions."""

import pytest
import torch
from botorch.exceptions import InputDataError
from botorch.models.transforms.input import Normalize
from helpers.gaussian import unit_points
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.data import Order, from_comparisons, from_outcomes

BOX = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
EVERYWHERE, SOURCE_X, X = unit_points(64, seed=9), unit_points(24, seed=1), unit_points(6, seed=2)


def hill(points: Tensor) -> Tensor:
    return -(points - torch.tensor([0.3, 0.6])).square().sum(-1, keepdim=True)


GOOD, REVERSED = (from_outcomes(SOURCE_X, f) for f in (hill(SOURCE_X).exp(), -hill(SOURCE_X)))
OTHER_UNIT = from_outcomes(SOURCE_X, 7.0 - hill(SOURCE_X).pow(2))
PLACE = torch.randperm(24, generator=torch.Generator().manual_seed(3))
SHUFFLED = from_outcomes(SOURCE_X, hill(SOURCE_X)[PLACE])


def model(*sources: Order, number: int = 6) -> RankingGP:
    transform = Normalize(d=2, bounds=BOX)
    return RankingGP(X[:number], hill(X[:number]), input_transform=transform, sources=sources)


def mean(found: RankingGP) -> Tensor:
    return found.posterior(EVERYWHERE).mean.detach()


def agreement(found: RankingGP) -> float:
    return float(kendalltau(mean(found), hill(EVERYWHERE)).statistic)


@pytest.fixture(scope="module")
def alone() -> RankingGP:
    return model().fit()


@pytest.fixture(scope="module")
def helped() -> RankingGP:
    return model(GOOD).fit()


def test_a_source_of_the_same_order_helps(alone: RankingGP, helped: RankingGP) -> None:
    assert agreement(helped) > agreement(alone) + 0.1
    assert float(helped.correlation) > 0.5
    # Of whatever unit it is.
    assert torch.equal(mean(model(OTHER_UNIT).fit()), mean(helped))


def test_everything_but_predictions_is_about_the_target(helped: RankingGP) -> None:
    assert helped.known_X.shape == (6, 2)
    assert helped.is_outlier.tolist() == [False] * 6
    assert (helped.incumbent == X).all(-1).any()
    assert float(helped.rank_posterior(EVERYWHERE).mean.max()) <= 6.0
    assert "1 sources" in repr(helped)
    assert helped.with_order(helped.order).correlation.shape == (0,)


def test_a_worthless_source_is_found_out_and_ignored(alone: RankingGP) -> None:
    found = model(SHUFFLED).fit()
    assert found.correlation.tolist() == [0.0]
    one, other = (m.rank_posterior(EVERYWHERE[:9]).mean for m in (found, alone))
    torch.testing.assert_close(one, other)
    pending, expected = (m.with_pending(EVERYWHERE[:2]) for m in (found, alone))
    assert pending.correlation.tolist() == [0.0]
    for ignores, without in ((found, alone), (pending, expected)):
        one, other = (m.posterior(EVERYWHERE) for m in (ignores, without))
        torch.testing.assert_close(one.mean, other.mean)
        torch.testing.assert_close(one.variance, other.variance)


def test_a_source_of_the_opposite_order_is_hardly_listened_to() -> None:
    assert agreement(found := model(REVERSED).fit()) > 0.6
    assert float(found.correlation) < 0.3


def test_a_good_source_survives_a_worthless_one_and_a_state_carries_that(
    helped: RankingGP,
) -> None:
    both, other = model(SHUFFLED, GOOD).fit(), model(SHUFFLED, GOOD)
    assert (both.correlation > 0.0).tolist() == [False, True]
    torch.testing.assert_close(mean(both), mean(helped))
    other.load_state_dict(both.state_dict())
    torch.testing.assert_close(other.correlation, both.correlation)
    torch.testing.assert_close(mean(other), mean(both), rtol=0.0, atol=1e-5)


def test_a_single_point_is_enough_and_none_is_not() -> None:
    found = model(GOOD, number=1).fit()
    assert agreement(found) > 0.8
    assert torch.equal(found.incumbent, X[0])
    values = LogExpectedUtilityImprovement(found)(EVERYWHERE.unsqueeze(1))
    assert float(hill(EVERYWHERE[values.argmax()])) > float(hill(X[0]))
    pending = found.with_pending(EVERYWHERE[:2])
    assert pending.known_X.shape == (3, 2)
    torch.testing.assert_close(pending.correlation, found.correlation)
    with pytest.raises(InputDataError, match="train_X holds 0"):
        model(GOOD, number=0)


POINTS, EYE = unit_points(30, 3), torch.eye(3).double()
AXES = torch.linalg.qr(unit_points(3, 3, seed=5) - 0.5).Q


def valley(points: Tensor, axes: Tensor = AXES) -> Tensor:
    steepness = torch.tensor([20.0, 3.0, 1.0]).double()
    return -((points - 0.4) @ axes * steepness).square().sum(-1, keepdim=True)


def test_the_steepest_direction_is_found() -> None:
    found = RankingGP(POINTS, valley(POINTS), input_transform=None).fit()
    kernel = found.covar_module
    torch.testing.assert_close(kernel.rotation @ kernel.rotation.T, EYE)
    steepest = kernel.rotation[:, kernel.lengthscale.argmin()]
    assert float((steepest @ AXES[:, 0]).abs()) > 0.95
    columns = RankingGP(POINTS, valley(POINTS), input_transform=None)
    columns.covar_module.rotation = None
    assert found.log_likelihood() > columns.fit().log_likelihood() + 4.0


def test_a_target_with_sources_has_directions_too() -> None:
    few, source = POINTS[:8], from_outcomes(POINTS, valley(POINTS))
    found = RankingGP(few, valley(few), input_transform=None, sources=[source]).fit()
    assert float(found.correlation) > 0.0
    assert not torch.equal(found.covar_module.rotation, EYE)


def test_a_function_of_columns_keeps_them_and_so_do_choices() -> None:
    of_columns = from_outcomes(POINTS, valley(POINTS, EYE))
    worse_first = valley(POINTS).squeeze(-1).argsort()
    pairs = torch.tensor([[i, j] for i in range(12) for j in range(i)])
    for order in (of_columns, from_comparisons(POINTS, worse_first[pairs])):
        kernel = RankingGP(order=order, input_transform=None).fit().covar_module
        assert torch.equal(kernel.rotation, EYE)
    many = unit_points(9, 501)  # more columns than can be paid for
    assert RankingGP(many, many[:, :1], input_transform=None).covar_module.rotation is None
