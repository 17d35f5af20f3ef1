import pytest
import torch
from helpers.gaussian import hyperparameters, ranked, unit_points
from helpers.ranking import tensor
from torch import Tensor

from botorch_popbo.models._fit.evidence import Evidence, Sample
from botorch_popbo.models._fit.outliers import (
    _moments_of_each,
    log_rank_probability,
    lone_surprise,
    plausible_records,
)

X = unit_points(40)
SMOOTH = -(X - 0.4).square().sum(-1)
PRIOR = hyperparameters()


def test_each_is_predicted_by_all_others() -> None:
    number = 12
    records = ranked(SMOOTH[:number])
    conditioned = Evidence(Sample(X[:number], records, PRIOR)).condition(PRIOR.start)
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


def test_most_records_stay_however_small_the_odds_against_them() -> None:
    records = ranked(torch.randn(40, generator=torch.Generator().manual_seed(1)).double())
    sample = Sample(X, records, PRIOR)
    conditioned = Evidence(sample).condition(PRIOR.start)
    every = torch.ones(40, dtype=torch.bool)
    plausible = plausible_records(sample, conditioned, every, 100.0)
    assert plausible.sum() == 24


def test_the_best_is_alone_until_a_point_near_it_is_evaluated() -> None:
    points = tensor([[0.1, 0.1], [0.9, 0.9], [0.5, 0.5], [0.5, 0.4]])
    aside = torch.tensor([False, True, True, True])

    def alone(points: Tensor, outcomes: list[float], is_used: Tensor = aside) -> list[int]:
        return lone_surprise(Sample(points, ranked(tensor(outcomes)), PRIOR), is_used).tolist()

    assert alone(points, [4.0, 3.0, 2.0, 1.0]) == [0]
    assert alone(points, [2.5, 3.0, 2.0, 1.0]) == []  # not the best
    assert alone(points, [4.0, 3.0, 2.0, 1.0], aside | True) == []  # not set aside
    assert alone(points, [4.0, 5.0, 2.0, 1.0], tensor([0.0, 0.0, 1.0, 1.0]).bool()) == [1]
    near = points.clone()
    near[1] = tensor([0.2, 0.15])
    assert alone(near, [4.0, 3.0, 2.0, 1.0]) == []
    again = points.clone()
    again[1] = points[0]
    assert alone(again, [4.0, 3.0, 2.0, 1.0]) == []
    # Nothing is nearer to a choice than another one.
    assert alone(torch.eye(4).double(), [4.0, 3.0, 2.0, 1.0]) == []
