import math

import pytest
import torch
from helpers.ranking import tensor
from torch.autograd import gradcheck

from botorch_popbo.posteriors._thresholds import Thresholds

THRESHOLDS = Thresholds(tensor([1.5, 0.5, 0.25, -1.0]), tensor([1, 2, 1, 3]))
UTILITIES = torch.linspace(-4.0, 4.0, 401, dtype=torch.float64)


def test_points_of_a_complete_ranking_stand_for_themselves() -> None:
    thresholds = Thresholds.from_ranks(tensor([3, 2, 1]), tensor([0, 1, 2]), 3)
    assert thresholds.weight.tolist() == [1.0, 1.0, 1.0]
    assert thresholds.better.tolist() == [0.0, 1.0, 2.0]
    assert thresholds.total == 3.0


def test_points_between_two_thresholds_count_half_to_either_side() -> None:
    thresholds = Thresholds.from_ranks(tensor([3, 2, 1]), tensor([0, 5, 9]), 10)
    assert thresholds.weight.tolist() == [3.0, 4.5, 2.5]
    assert thresholds.total == 10.0


def test_all_points_are_shared_out() -> None:
    thresholds = Thresholds.from_ranks(tensor([3, 2]), tensor([1, 4]), 8)
    assert thresholds.total == 8.0
    assert Thresholds.from_ranks(tensor([0.0]), tensor([0.0]), 5).weight.tolist() == [5.0]


def test_counts_are_the_weights_of_the_thresholds_above() -> None:
    for utility, count in [(2.0, 0), (1.0, 1), (0.3, 3), (0.0, 4), (-3.0, 7)]:
        assert THRESHOLDS.count(tensor(utility)) == count
    assert THRESHOLDS.count(THRESHOLDS.values).tolist() == [0, 1, 3, 4]  # not better than itself
    assert THRESHOLDS.count(UTILITIES.reshape(1, 401, 1)).shape == (1, 401, 1)


@pytest.mark.parametrize("count", range(7))
def test_the_threshold_is_where_the_count_is_reached(count: int) -> None:
    threshold = THRESHOLDS.at(tensor(count))
    assert THRESHOLDS.count(threshold) <= count < THRESHOLDS.count(threshold - 1e-9)


def test_thresholds_outside_the_support_are_infinite() -> None:
    assert THRESHOLDS.at(tensor([-1, 7, 8])).tolist() == [math.inf, -math.inf, -math.inf]


def test_the_smooth_rank_follows_the_count() -> None:
    rank = THRESHOLDS.log_rank(UTILITIES).exp()
    assert (rank.diff() < 0.0).all()
    assert (rank.diff().abs() < 0.2).all()  # continuous
    assert (rank > 0.0).all()
    assert (rank < 7.0).all()
    expected = THRESHOLDS.better + THRESHOLDS.weight / 2.0
    torch.testing.assert_close(THRESHOLDS.log_rank(THRESHOLDS.values).exp(), expected)
    widest = THRESHOLDS.weight.max()
    assert (rank - THRESHOLDS.count(UTILITIES)).abs().max() <= widest


def test_beyond_the_ends_it_falls_by_a_factor_e_per_step() -> None:
    above = THRESHOLDS.log_rank(tensor([1.5, 2.5, 3.5]))
    torch.testing.assert_close(above.diff(), tensor([-1, -1]))
    missing = 7.0 - THRESHOLDS.log_rank(tensor([-1.0, -2.25, -3.5])).exp()
    torch.testing.assert_close(missing.log().diff(), tensor([-1, -1]))


def test_gradient_of_the_smooth_rank() -> None:
    utilities = tensor([-2.0, -0.3, 0.3, 0.9, 2.2]).requires_grad_()
    assert gradcheck(THRESHOLDS.log_rank, utilities)
    values = THRESHOLDS.values.clone().requires_grad_()
    (slope,) = torch.autograd.grad(THRESHOLDS.log_rank(values).sum(), values)
    assert slope.isfinite().all()


def test_a_single_threshold() -> None:
    thresholds = Thresholds(tensor([0.0]), tensor([4.0]))
    assert thresholds.count(tensor([1.0, 0.0, -1.0])).tolist() == [0, 0, 4]
    rank = thresholds.log_rank(tensor([1.0, -1.0]))
    assert rank[0] < rank[1] < math.log(4.0)


def test_it_takes_the_dtype_and_device_of_a_tensor(device: torch.device) -> None:
    thresholds = THRESHOLDS.to(torch.zeros(1, dtype=torch.float32, device=device))
    assert thresholds.values.dtype == thresholds.weight.dtype == torch.float32
    assert thresholds.values.device.type == thresholds.total.device.type == device.type
