import math
from dataclasses import replace

import pytest
import torch
from helpers.gaussian import hyperparameters, ranked
from helpers.outliers import SMOOTH, WORST_FIRST, X, with_outliers
from helpers.ranking import tensor
from torch import Tensor

from botorch_popbo.data import combine, from_outcomes
from botorch_popbo.models._fit.evidence import Conditioned, Evidence
from botorch_popbo.models._fit.outliers import (
    RobustFit,
    _moments_of_each,
    fit_robustly,
    log_outlier_probability,
    log_rank_probability,
    plausible_records,
)
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.settings import ModelSettings

PRIOR = hyperparameters()
SETTINGS = ModelSettings()
NORMAL = torch.distributions.Normal(0.0, 1.0)
FOUR = ranked(tensor([4.0, 3.0, 2.0, 1.0]))
INNOCENT, OUTLIER = int(WORST_FIRST[20]), int(WORST_FIRST[6])
WITH_OUTLIER = with_outliers(6)
EVERY = torch.ones(40, dtype=torch.bool)


def fit(outcomes: Tensor) -> RobustFit:
    with torch.no_grad():
        return fit_robustly(X[: len(outcomes)], ranked(outcomes), PRIOR, SETTINGS)


def given(records: Observations, is_used: Tensor, coordinates: Tensor) -> Conditioned:
    """The records used, conditioned at some hyperparameters."""
    part = records.subset(is_used.nonzero().squeeze(-1))
    return Evidence(X[is_used], part, PRIOR).condition(coordinates)


def fitted(records: Observations) -> Tensor:
    """Hyperparameters without outliers."""
    with torch.no_grad():
        return fit_robustly(X, records, PRIOR, SETTINGS).conditioned.coordinates


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
    noise, clean = (f.conditioned.noise for f in (robust, fit(SMOOTH)))
    assert noise < 20.0 * clean


def test_few_records_have_no_outliers() -> None:
    outcomes = SMOOTH[:7].clone()
    outcomes[outcomes.argmin()] = 1.0
    assert fit(outcomes).is_used.all()


def test_most_records_are_always_used() -> None:
    shuffled = torch.randn(40, generator=torch.Generator().manual_seed(1)).double()
    assert fit(shuffled).is_used.sum() >= 24


def test_a_record_that_fits_comes_back() -> None:
    records, is_used = ranked(WITH_OUTLIER), EVERY.clone()
    is_used[[INNOCENT, OUTLIER]] = False
    conditioned = given(records, is_used, fitted(records))
    plausible = plausible_records(X, records, PRIOR, conditioned, is_used, SETTINGS)
    assert plausible[INNOCENT]
    assert not plausible[OUTLIER]


def test_each_is_predicted_by_all_others() -> None:
    number = 12
    records = ranked(SMOOTH[:number])
    conditioned = Evidence(X[:number], records, PRIOR).condition(PRIOR.start)
    covariance, z = conditioned.covariance, conditioned.utilities.utilities
    expected = []
    for left_out in range(number):
        others = [i for i in range(number) if i != left_out]
        inverse = covariance[others][:, others].inverse()
        # Simple kriging with an unknown level: generalised least squares.
        level = inverse.sum(0) @ z[others] / inverse.sum()
        weights = inverse @ covariance[others, left_out]
        mean = level + weights @ (z[others] - level)
        spread = covariance[left_out, left_out] - weights @ covariance[others, left_out]
        expected.append([mean, spread + (1.0 - weights.sum()).square() / inverse.sum()])
    found = torch.stack(_moments_of_each(conditioned), dim=-1)
    torch.testing.assert_close(found, torch.tensor(expected).double(), rtol=1e-5, atol=1e-6)


def test_of_a_known_noise_more_is_plausible() -> None:
    outcomes, is_used = WITH_OUTLIER, EVERY.clone()
    is_used[OUTLIER] = False
    records = ranked(outcomes)
    coordinates, known = fitted(records), torch.zeros(40).double()
    known[OUTLIER] = 25.0
    noisy = replace(records, known_variance=known)
    for order, is_plausible in ((records, False), (noisy, True)):
        conditioned = given(order, is_used, coordinates)
        found = plausible_records(X, order, PRIOR, conditioned, is_used, SETTINGS)
        assert bool(found[OUTLIER]) is is_plausible


def test_most_records_stay_however_small_the_odds_against_them() -> None:
    shuffled = torch.randn(40, generator=torch.Generator().manual_seed(1)).double()
    records = ranked(shuffled)
    conditioned = given(records, EVERY, PRIOR.start)
    plausible = plausible_records(X, records, PRIOR, conditioned, EVERY, SETTINGS, 100.0)
    assert plausible.sum() == 24


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
    every = log_outlier_probability(ranked(torch.arange(20).double()), SETTINGS)
    torch.testing.assert_close(every, torch.full_like(every, math.log(0.1 / 0.9 / 20.0)))


def test_an_outlier_has_any_place_in_its_own_list() -> None:
    lists = [from_outcomes(X[i::10], SMOOTH[i::10].unsqueeze(-1)) for i in range(10)]
    alone, together = (
        log_outlier_probability(observations_of(o), SETTINGS) for o in (lists[0], combine(*lists))
    )
    torch.testing.assert_close(together, alone[:1].expand(40))
