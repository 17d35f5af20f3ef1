import math

import pytest
import torch
from helpers.ranking import tensor
from torch.autograd import gradcheck

from botorch_popbo.posteriors.ladder import Ladder

LADDER = Ladder(tensor([1.5, 0.5, 0.25, -1.0]), tensor([1, 2, 1, 3]))
UTILITIES = torch.linspace(-4.0, 4.0, 401, dtype=torch.float64)


def test_points_of_a_complete_ranking_stand_for_themselves() -> None:
    ladder = Ladder.from_ranks(tensor([3, 2, 1]), tensor([0, 1, 2]), 3)
    assert ladder.weight.tolist() == [1.0, 1.0, 1.0]
    assert ladder.better.tolist() == [0.0, 1.0, 2.0]
    assert ladder.total == 3.0


def test_points_between_two_rungs_count_half_to_either_side() -> None:
    ladder = Ladder.from_ranks(tensor([3, 2, 1]), tensor([0, 5, 9]), 10)
    assert ladder.weight.tolist() == [3.0, 4.5, 2.5]
    assert ladder.total == 10.0


def test_all_points_are_shared_out() -> None:
    ladder = Ladder.from_ranks(tensor([3, 2]), tensor([1, 4]), 8)
    assert ladder.total == 8.0
    assert Ladder.from_ranks(tensor([0.0]), tensor([0.0]), 5).weight.tolist() == [5.0]


def test_counts_are_the_weights_of_the_rungs_above() -> None:
    for utility, count in [(2.0, 0), (1.0, 1), (0.3, 3), (0.0, 4), (-3.0, 7)]:
        assert LADDER.count(tensor(utility)) == count
    assert LADDER.count(LADDER.rungs).tolist() == [0, 1, 3, 4]  # not better than itself
    assert LADDER.count(UTILITIES.reshape(1, 401, 1)).shape == (1, 401, 1)


@pytest.mark.parametrize("count", range(7))
def test_the_threshold_is_where_the_count_is_reached(count: int) -> None:
    threshold = LADDER.threshold(tensor(count))
    assert LADDER.count(threshold) <= count < LADDER.count(threshold - 1e-9)


def test_thresholds_outside_the_support_are_infinite() -> None:
    assert LADDER.threshold(tensor([-1, 7, 8])).tolist() == [math.inf, -math.inf, -math.inf]


def test_the_smooth_rank_follows_the_count() -> None:
    rank = LADDER.log_rank(UTILITIES).exp()
    assert (rank.diff() < 0.0).all()
    assert (rank.diff().abs() < 0.2).all()  # continuous
    assert (rank > 0.0).all()
    assert (rank < 7.0).all()
    expected = LADDER.better + LADDER.weight / 2.0
    torch.testing.assert_close(LADDER.log_rank(LADDER.rungs).exp(), expected)
    widest = LADDER.weight.max()
    assert (rank - LADDER.count(UTILITIES)).abs().max() <= widest


def test_beyond_the_ends_it_falls_by_a_factor_e_per_step() -> None:
    above = LADDER.log_rank(tensor([1.5, 2.5, 3.5]))
    torch.testing.assert_close(above.diff(), tensor([-1, -1]))
    missing = 7.0 - LADDER.log_rank(tensor([-1.0, -2.25, -3.5])).exp()
    torch.testing.assert_close(missing.log().diff(), tensor([-1, -1]))


def test_gradient_of_the_smooth_rank() -> None:
    utilities = tensor([-2.0, -0.3, 0.3, 0.9, 2.2]).requires_grad_()
    assert gradcheck(LADDER.log_rank, utilities)
    rungs = LADDER.rungs.clone().requires_grad_()
    (slope,) = torch.autograd.grad(LADDER.log_rank(rungs).sum(), rungs)
    assert slope.isfinite().all()


def test_a_single_rung() -> None:
    ladder = Ladder(tensor([0.0]), tensor([4.0]))
    assert ladder.count(tensor([1.0, 0.0, -1.0])).tolist() == [0, 0, 4]
    rank = ladder.log_rank(tensor([1.0, -1.0]))
    assert rank[0] < rank[1] < math.log(4.0)


def test_it_takes_the_dtype_and_device_of_a_tensor(device: torch.device) -> None:
    ladder = LADDER.to(torch.zeros(1, dtype=torch.float32, device=device))
    assert ladder.rungs.dtype == ladder.weight.dtype == torch.float32
    assert ladder.rungs.device.type == ladder.total.device.type == device.type
