import math

import pytest
import torch
from helpers.gaussian import ranked
from helpers.ranking import tensor

from botorch_popbo.rates.contamination import log_outlier_probability, log_rank_probability

NORMAL = torch.distributions.Normal(0.0, 1.0)
RANKING = ranked(tensor([4.0, 3.0, 2.0, 1.0]))


def test_a_rank_is_as_probable_as_the_gap_between_its_neighbours() -> None:
    levels = tensor([1.0, 0.5, -0.5, -1.0])
    mean, variance = tensor([1.2, 0.0, 0.0, 2.0]), tensor([0.04, 1.0, 0.25, 0.01])
    found = log_rank_probability(mean, variance, RANKING, levels, torch.ones(4, dtype=torch.bool))
    cdf = NORMAL.cdf
    expected = [
        1.0 - cdf(tensor((0.5 - 1.2) / 0.2)),
        cdf(tensor(1.0)) - cdf(tensor(-0.5)),
        cdf(tensor(1.0)) - cdf(tensor(-2.0)),
    ]
    torch.testing.assert_close(found[:3], torch.stack(expected).log())
    assert -1000.0 < found[3] < -300.0  # 25 standard deviations away


def test_records_left_out_lie_between_the_fitted_ones() -> None:
    is_fitted = torch.tensor([True, False, False, True])
    mean, variance = torch.zeros(4).double(), torch.ones(4).double()
    found = log_rank_probability(mean, variance, RANKING, tensor([1.0, -1.0]), is_fitted)
    between = (NORMAL.cdf(tensor(1.0)) - NORMAL.cdf(tensor(-1.0))).log()
    torch.testing.assert_close(found[1:3], between.expand(2))
    # Each of the fitted ones has the other for its only neighbour.
    torch.testing.assert_close(found[[0, 3]], NORMAL.cdf(tensor(1.0)).log().expand(2))


def test_probabilities_over_all_ranks_sum_to_one() -> None:
    levels = tensor([1.0, 0.2, -0.7])
    total = 0.0
    for outcome in (4.0, 2.5, 1.5, 0.0):
        ranking = ranked(tensor([3.0, 2.0, 1.0, outcome]))
        mean, variance = torch.full((4,), 0.3).double(), torch.full((4,), 0.5).double()
        is_fitted = torch.tensor([True, True, True, False])
        found = log_rank_probability(mean, variance, ranking, levels, is_fitted)
        total += found[3].exp().item()
    assert total == pytest.approx(1.0)


def test_an_outlier_has_any_rank() -> None:
    assert log_outlier_probability(20) == pytest.approx(math.log(0.1 / 0.9 / 20.0))
