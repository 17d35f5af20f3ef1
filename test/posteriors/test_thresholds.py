import math

import torch
from helpers.ranking import tensor
from torch.autograd import gradcheck

from botorch_popbo.posteriors.gaussian_rank import Thresholds

THRESHOLDS = Thresholds(tensor([1.5, 0.5, 0.25, -1.0]), tensor([1, 2, 1, 3]))
VALUES = torch.linspace(-4.0, 4.0, 401, dtype=torch.float64).unsqueeze(-1)


def test_the_smooth_rank_follows_the_count() -> None:
    rank = THRESHOLDS.log_rank(VALUES).exp()
    assert (rank.diff(dim=0) < 0.0).all()
    assert (rank.diff(dim=0).abs() < 0.2).all()  # continuous
    assert (rank > 0.0).all()
    assert (rank < 7.0).all()
    expected = THRESHOLDS.size.cumsum(0) - THRESHOLDS.size / 2.0
    found = THRESHOLDS.log_rank(THRESHOLDS.values.unsqueeze(-1)).exp().squeeze(-1)
    torch.testing.assert_close(found, expected)
    assert (rank - THRESHOLDS.count(VALUES)).abs().max() <= THRESHOLDS.size.max()


def test_beyond_the_ends_it_falls_by_a_factor_e_per_step() -> None:
    above = THRESHOLDS.log_rank(tensor([[1.5], [2.5], [3.5]])).flatten()
    torch.testing.assert_close(above.diff(), tensor([-1, -1]))
    missing = 7.0 - THRESHOLDS.log_rank(tensor([[-1.0], [-2.25], [-3.5]])).exp().flatten()
    torch.testing.assert_close(missing.log().diff(), tensor([-1, -1]))


def test_gradient_of_the_smooth_rank() -> None:
    values = tensor([[-2.0], [-0.3], [0.3], [0.9], [2.2]]).requires_grad_()
    own = THRESHOLDS.values.expand(5, 4).clone().requires_grad_()
    assert gradcheck(lambda x, t: Thresholds(t, THRESHOLDS.size).log_rank(x), (values, own))
    at_thresholds = THRESHOLDS.values.unsqueeze(-1).clone().requires_grad_()
    (slope,) = torch.autograd.grad(THRESHOLDS.log_rank(at_thresholds).sum(), at_thresholds)
    assert slope.isfinite().all()


def test_a_single_threshold() -> None:
    thresholds = Thresholds(tensor([0.0]), tensor([4.0]))
    assert thresholds.count(tensor([[1.0], [0.0], [-1.0]])).flatten().tolist() == [0, 0, 4]
    rank = thresholds.log_rank(tensor([[1.0], [-1.0]])).flatten()
    torch.testing.assert_close(rank, tensor([math.log(2.0) - 1.0, math.log(2.0)]))
