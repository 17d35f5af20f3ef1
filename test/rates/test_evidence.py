import pytest
import torch
from helpers.gaussian import ranked, unit_points
from torch import Tensor

from botorch_popbo.rates.covariance import PairwiseDistances
from botorch_popbo.rates.evidence import (
    LOG_LENGTHSCALE,
    LOG_NOISE,
    LogNormal,
    condition,
    maximize_evidence,
)
from botorch_popbo.rates.ranking import Ranking

X = unit_points(25, 2)
PRIOR = LogNormal(
    loc=torch.tensor([0.0, 0.0, -6.0], dtype=torch.float64),
    scale=torch.tensor([0.7, 0.7, 2.0], dtype=torch.float64),
)


def log_density(log_theta: Tensor, ranking: Ranking) -> float:
    utilities = condition(PairwiseDistances(X), ranking, log_theta).utilities
    offset = (log_theta - PRIOR.loc) / PRIOR.scale
    return float(utilities.log_likelihood - 0.5 * offset.square().sum())


def fitted(ranking: Ranking, start: Tensor = PRIOR.loc, first_step: float = 1.0) -> Tensor:
    points = PairwiseDistances(X[: len(ranking.level)])
    return maximize_evidence(points, ranking, PRIOR, start, first_step)[0].log_theta


def test_the_result_is_a_maximum() -> None:
    ranking = ranked((4.0 * X[:, 0]).sin() + 0.2 * X[:, 1])
    found = fitted(ranking)
    value = log_density(found, ranking)
    assert value > log_density(PRIOR.loc, ranking)
    for step in torch.cat([0.3 * torch.eye(3), -0.3 * torch.eye(3)]).double():
        assert log_density(found + step, ranking) < value + 0.01
    for first_step in (1.0, 0.25):
        again = fitted(ranking, found + 0.3, first_step)
        assert log_density(again, ranking) == pytest.approx(value, abs=0.02)


def test_the_maximum_comes_with_its_value_and_utilities() -> None:
    ranking = ranked((4.0 * X[:, 0]).sin() + 0.2 * X[:, 1])
    found, value = maximize_evidence(PairwiseDistances(X), ranking, PRIOR, PRIOR.loc)
    assert value == pytest.approx(log_density(found.log_theta, ranking), abs=1e-5)
    again = condition(PairwiseDistances(X), ranking, found.log_theta)
    torch.testing.assert_close(again.utilities.levels, found.utilities.levels, rtol=0, atol=1e-4)
    torch.testing.assert_close(again.covariance.precision, found.covariance.precision)


def test_what_matters_has_a_short_lengthscale() -> None:
    ranking = ranked((6.0 * X[:, 1]).sin())
    lengthscale = fitted(ranking).exp()
    assert lengthscale[1] < 0.5 * lengthscale[0]


def test_an_order_without_a_pattern_is_noise() -> None:
    smooth = ranked(-(X - 0.3).square().sum(-1))
    shuffled = ranked(torch.randn(25, generator=torch.Generator().manual_seed(0)).double())
    noise = [fitted(ranking)[-1].exp() for ranking in (smooth, shuffled)]
    assert noise[0] < 0.01
    assert noise[1] > 20.0 * noise[0]


@pytest.mark.parametrize("num_records", [1, 2])
def test_few_records_stay_within_the_bounds(num_records: int) -> None:
    found = fitted(ranked(torch.arange(num_records).double()))
    assert found.isfinite().all()
    for value, (low, high) in zip(found, (*[LOG_LENGTHSCALE] * 2, LOG_NOISE), strict=True):
        assert low <= value <= high


def test_records_of_few_comparisons_are_noisier() -> None:
    counts = torch.arange(25).double()
    exposure = torch.full_like(counts, 24.0)
    exact = Ranking.from_counts(counts, exposure, 25)
    vague = Ranking.from_counts(counts / 12.0, exposure / 12.0, 25)
    first, second = (
        condition(PairwiseDistances(X), r, PRIOR.loc).covariance for r in (exact, vague)
    )
    added = (second.factor @ second.factor.T - first.factor @ first.factor.T).diagonal()
    torch.testing.assert_close(added, vague.variance, rtol=1e-6, atol=1e-9)
