import math

import pytest
import torch
from helpers.gaussian import hyperparameters, ranked, unit_points
from helpers.ranking import tensor
from torch import Tensor

from botorch_popbo.models._evidence import Evidence
from botorch_popbo.models._outliers import (
    RobustFit,
    fit_robustly,
    log_outlier_probability,
    log_rank_probability,
    plausible_records,
)
from botorch_popbo.models._records import Records

PRIOR = hyperparameters()
NORMAL = torch.distributions.Normal(0.0, 1.0)
FOUR = ranked(tensor([4.0, 3.0, 2.0, 1.0]))
X = unit_points(40)
SMOOTH = -(X - 0.4).square().sum(-1)
WORST_FIRST = SMOOTH.argsort()


def fit(outcomes: torch.Tensor) -> RobustFit:
    return fit_robustly(X[: len(outcomes)], ranked(outcomes), PRIOR, PRIOR.loc)


def given(theta: Tensor, records: Records, is_used: Tensor) -> RobustFit:
    """The records used, conditioned at some hyperparameters."""
    part = records.subset(is_used.nonzero().squeeze(-1))
    return RobustFit(Evidence(X[is_used], part, PRIOR).condition(theta), is_used, value=0.0)


def with_outliers(*records: int) -> torch.Tensor:
    """Some of the bad ones become the best."""
    outcomes = SMOOTH.clone()
    outcomes[WORST_FIRST[list(records)]] = 1.0 + torch.arange(len(records)).double()
    return outcomes


def test_clean_data_are_all_used() -> None:
    assert fit(SMOOTH).is_used.all()


def test_noise_is_not_a_set_of_outliers() -> None:
    noise = 0.05 * torch.randn(40, generator=torch.Generator().manual_seed(0)).double()
    assert fit(SMOOTH + noise).is_used.float().mean() > 0.9


@pytest.mark.parametrize("records", [(6,), (6, 10), (4, 12, 20)])
def test_planted_outliers_are_set_aside(records: tuple[int, ...]) -> None:
    robust = fit(with_outliers(*records))
    assert not robust.is_used[WORST_FIRST[list(records)]].any()
    assert robust.is_used.sum() >= 40 - len(records) - 2
    # What is left is as smooth as without them.
    noise, clean = (f.conditioned.theta[-1] for f in (robust, fit(SMOOTH)))
    assert noise < clean + 3.0


def test_a_record_that_fits_comes_back() -> None:
    outcomes = with_outliers(6)
    robust = fit(outcomes)
    innocent = WORST_FIRST[20]
    accused = robust.is_used.clone()
    accused[innocent] = False
    everything = ranked(outcomes)
    others = given(robust.conditioned.theta, everything, accused)
    plausible = plausible_records(X, everything, PRIOR, others, 0.0)
    assert plausible[innocent]
    assert not plausible[WORST_FIRST[6]]


def test_few_records_have_no_outliers() -> None:
    outcomes = SMOOTH[:7].clone()
    outcomes[outcomes.argmin()] = 1.0
    assert fit(outcomes).is_used.all()


def test_most_records_are_always_used() -> None:
    shuffled = torch.randn(40, generator=torch.Generator().manual_seed(1)).double()
    assert fit(shuffled).is_used.sum() >= 24
    records = ranked(shuffled)
    everything = given(PRIOR.loc, records, torch.ones(40, dtype=torch.bool))
    # However small the odds at which a record is set aside.
    assert plausible_records(X, records, PRIOR, everything, 100.0).sum() == 24


def test_a_rank_is_as_probable_as_the_gap_between_its_neighbours() -> None:
    levels = tensor([1.0, 0.5, -0.5, -1.0])
    mean, variance = tensor([1.2, 0.0, 0.0, 2.0]), tensor([0.04, 1.0, 0.25, 0.01])
    found = log_rank_probability(mean, variance, FOUR, levels, torch.ones(4, dtype=torch.bool))
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
    found = log_rank_probability(mean, variance, FOUR, tensor([1.0, -1.0]), is_fitted)
    between = (NORMAL.cdf(tensor(1.0)) - NORMAL.cdf(tensor(-1.0))).log()
    torch.testing.assert_close(found[1:3], between.expand(2))
    # Each of the fitted ones has the other for its only neighbour.
    torch.testing.assert_close(found[[0, 3]], NORMAL.cdf(tensor(1.0)).log().expand(2))


def test_probabilities_over_all_ranks_sum_to_one() -> None:
    levels = tensor([1.0, 0.2, -0.7])
    total = 0.0
    for outcome in (4.0, 2.5, 1.5, 0.0):
        records = ranked(tensor([3.0, 2.0, 1.0, outcome]))
        mean, variance = torch.full((4,), 0.3).double(), torch.full((4,), 0.5).double()
        is_fitted = torch.tensor([True, True, True, False])
        found = log_rank_probability(mean, variance, records, levels, is_fitted)
        total += found[3].exp().item()
    assert total == pytest.approx(1.0)


def test_an_outlier_has_any_rank() -> None:
    every = log_outlier_probability(ranked(torch.arange(20).double()))
    torch.testing.assert_close(every, torch.full_like(every, math.log(0.1 / 0.9 / 20.0)))
