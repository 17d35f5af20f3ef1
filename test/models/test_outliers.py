"""Records whose rank says nothing, and the best one that nothing near it contradicts."""

import pytest
import torch
from helpers.gaussian import hyperparameters, ranked, unit_points
from helpers.ranking import tensor
from torch import Tensor

from botorch_popbo.models.evidence import Evidence, Sample
from botorch_popbo.models.outliers import fit_robustly, lone_surprise, plausible_records

X = unit_points(40)
SMOOTH = -(X - 0.4).square().sum(-1)


def test_what_the_others_contradict_is_set_aside_if_it_may_be_wrong() -> None:
    outcomes = SMOOTH.clone()
    wrong = SMOOTH.argsort()[[1, 3]]
    outcomes[wrong] = torch.tensor([1.0, 2.0]).double()
    with torch.no_grad():
        sample = Sample(X, ranked(outcomes), hyperparameters())
        fits = [fit_robustly(sample, may_err) for may_err in (True, False)]
    assert (~fits[0].is_used).nonzero().flatten().tolist() == sorted(wrong.tolist())
    assert fits[0].total > fits[1].total + 3.0
    assert fits[0].total < fits[0].value  # an outlier has its price
    assert fits[1].is_used.all()


def test_each_is_judged_by_all_others() -> None:
    number = 12
    outcomes, sample_X = SMOOTH[:number].clone(), X[:number]
    outcomes[outcomes.argmin()] = 1.0
    search, every = hyperparameters(), torch.ones(number, dtype=torch.bool)
    sample = Sample(sample_X, ranked(outcomes), search)
    conditioned = Evidence(sample).condition(search.start)
    covariance, z = conditioned.covariance, conditioned.posterior.utilities
    place = outcomes.argsort(descending=True).argsort()
    log_odds = []
    for left_out in range(number):
        others = torch.arange(number) != left_out
        inverse = covariance[others][:, others].inverse()
        # Simple kriging with an unknown level: generalized least squares.
        level = inverse.sum(0) @ z[others] / inverse.sum()
        weights = inverse @ covariance[others, left_out]
        mean = level + weights @ (z[others] - level)
        spread = 1.0 + conditioned.noise - weights @ covariance[others, left_out]
        spread = spread + (1.0 - weights.sum()).square() / inverse.sum()
        above, below = z[place < place[left_out]], z[place > place[left_out]]
        ends = [below.max() if len(below) else -torch.inf, above.min() if len(above) else torch.inf]
        low, high = ((torch.as_tensor(e) - mean) / spread.sqrt() for e in ends)
        prob = torch.special.ndtr(high) - torch.special.ndtr(low)
        share = sample.settings.outlier_share
        log_odds.append((prob * number * (1.0 - share) / share).log())
    odds = torch.stack(log_odds).sort().values
    for rank in range(3):
        between = float(odds[rank : rank + 2].mean())
        kept = plausible_records(sample, conditioned, every, between)
        assert torch.equal(kept, torch.stack(log_odds) > between)


def test_most_records_stay_however_small_the_odds_against_them() -> None:
    search, generator = hyperparameters(), torch.Generator().manual_seed(1)
    sample = Sample(X, ranked(torch.randn(40, generator=generator).double()), search)
    conditioned = Evidence(sample).condition(search.start)
    every = torch.ones(40, dtype=torch.bool)
    assert plausible_records(sample, conditioned, every, 100.0).sum() == 24


def beside(*second: float) -> Tensor:
    return tensor([[0.1, 0.1], second, [0.5, 0.5], [0.5, 0.4]])


@pytest.mark.parametrize(
    ("points", "outcomes", "aside", "lone"),
    [
        (beside(0.9, 0.9), [4.0, 3.0, 2.0, 1.0], [0], [0]),
        (beside(0.9, 0.9), [2.5, 3.0, 2.0, 1.0], [0], []),  # not the best
        (beside(0.9, 0.9), [4.0, 3.0, 2.0, 1.0], [], []),  # not set aside
        (beside(0.9, 0.9), [4.0, 5.0, 2.0, 1.0], [0, 1], [1]),
        (beside(0.2, 0.15), [4.0, 3.0, 2.0, 1.0], [0], []),
        (beside(0.1, 0.1), [4.0, 3.0, 2.0, 1.0], [0], []),
        (torch.eye(4).double(), [4.0, 3.0, 2.0, 1.0], [0], []),  # no choice is nearer than others
    ],
)
def test_the_best_is_alone_until_a_point_near_it_is_evaluated(
    points: Tensor, outcomes: list[float], aside: list[int], lone: list[int]
) -> None:
    is_used = torch.ones(4, dtype=torch.bool).index_fill(0, torch.tensor(aside).long(), False)
    sample = Sample(points, ranked(tensor(outcomes)), hyperparameters())
    assert lone_surprise(sample, is_used).tolist() == lone
