"""Ranks of new points, at one set of hyperparameters and averaged over what is plausible."""

import math
from typing import Any

import pytest
import torch
from helpers.gaussian import conditional_law, hyperparameters, ranked, unit_points
from helpers.ranking import line, tensor
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import RankingGP
from botorch_popbo.data import Order, combine, from_comparisons, from_outcomes, from_top_k
from botorch_popbo.models.evidence import Sample
from botorch_popbo.models.priors import default_kernel
from botorch_popbo.models.ranks import Buckets, RankPredictor, averaged, plausible_ranks
from botorch_popbo.models.records import Records

X, NEW = unit_points(18), unit_points(5, seed=1)
SMOOTH = (4.0 * X[:, 0]).sin() + X[:, 1]
NOISY = SMOOTH + 0.5 * torch.randn(18, generator=torch.Generator().manual_seed(0)).double()
TIED = (3.0 * SMOOTH).round()
OUTCOMES = {"smooth": SMOOTH, "noisy": NOISY, "tied": TIED}
EACH = pytest.mark.parametrize("outcomes", OUTCOMES.values(), ids=OUTCOMES)
EVERY = torch.arange(18)


def law_of(outcomes: Tensor) -> RankPredictor:
    records = ranked(outcomes)
    predictor = conditional_law(X, records, default_kernel(2).double())
    with torch.no_grad():
        return RankPredictor(predictor, records, EVERY, tensor(1e-3))


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("outcomes", [SMOOTH, TIED], ids=["smooth", "tied"])
def test_scores_are_those_of_drawn_differences(outcomes: Tensor, noisy: bool) -> None:
    """Of the utilities of new points and the noisy ones of records, drawn together."""
    law = law_of(outcomes)
    predictor, number = law.predictor, len(X)
    with torch.no_grad():
        prior = predictor.kernel(torch.cat([X, NEW])).to_dense()
    known = prior[:, :number].clone()
    known[:number] += (predictor.noise + 1e-8).diag()
    prior[:number, :number] = known[:number]
    prior[number:, number:] += noisy * 1e-3 * torch.eye(5).double()
    explained = known @ predictor.root
    joint = torch.distributions.MultivariateNormal(
        known @ predictor.weights, prior - explained @ explained.T
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        draws = joint.sample(torch.Size([40_000]))
    differences = draws[:, number:, None] - draws[:, None, law.buckets.record]
    expected = -differences.mean(0) / differences.std(0)
    found = law.thresholds(NEW, noisy)
    # Where scores of one difference each do not fall, they are made to.
    falls = (expected.diff(dim=-1) < 0.0).all(-1)
    assert falls.any()
    torch.testing.assert_close(found[falls], expected[falls], rtol=0.03, atol=0.03)


@EACH
def test_scores_fall_and_have_gradients(outcomes: Tensor) -> None:
    law = law_of(outcomes)
    far = torch.cat([NEW, X, 3.0 * NEW])
    scores = law.thresholds(far.reshape(1, -1, 2), False)
    assert scores.shape == (1, len(far), len(outcomes.unique()))
    assert (scores.diff(dim=-1) < 0.0).all()
    points = NEW.clone().requires_grad_()
    assert gradcheck(lambda x: law.thresholds(x, True), points, eps=1e-6, atol=1e-5)


def test_averaged_scores_have_averaged_probabilities() -> None:
    scores = torch.stack([torch.linspace(9, -9, 7).double(), torch.linspace(3, -4, 7).double()])
    found = averaged([*scores])
    for sign in (1.0, -1.0):
        expected = torch.special.ndtr(sign * scores).mean(0)
        torch.testing.assert_close(torch.special.ndtr(sign * found), expected, rtol=1e-12, atol=0)
    assert torch.equal(averaged([scores[0]]), scores[0])
    far = tensor([60.0, 0.1, -60.0]).requires_grad_()
    found = averaged([far, 1.1 * far])
    assert found.isfinite().all()
    assert torch.autograd.grad(found.sum(), far)[0].isfinite().all()
    assert math.isclose(found[0].item(), -found[2].item())


def fitted(outcomes: Tensor, **options: Any) -> RankingGP:
    return RankingGP(X, outcomes.unsqueeze(-1), input_transform=None, **options).fit()


@EACH
def test_all_probabilities_are_of_ranks_that_are_possible(outcomes: Tensor) -> None:
    posterior = fitted(outcomes).rank_posterior(NEW, observation_noise=outcomes is not SMOOTH)
    support = torch.arange(19.0).double()
    probability = posterior.log_prob(support).exp()
    torch.testing.assert_close(probability.sum(-1), torch.ones(5).double())
    # A new point may tie with points that are equally good: it is worse than none, or than all.
    sizes = outcomes.unique(return_counts=True)[1].flip(0)
    possible = torch.cat([torch.zeros(1), sizes.cumsum(0)]).long()
    expected = torch.zeros(19, dtype=torch.bool).index_fill(0, possible, True)
    assert torch.equal((probability > 0.0).any(0), expected)
    torch.testing.assert_close(posterior.cdf(support), probability.cumsum(-1), atol=1e-12, rtol=0)
    mean = (probability * support).sum(-1, keepdim=True)
    torch.testing.assert_close(posterior.mean, mean)
    variance = (probability * (support - mean).square()).sum(-1, keepdim=True)
    torch.testing.assert_close(posterior.variance, variance)
    half = (posterior.cdf(support) >= 0.5).double().argmax(-1, keepdim=True)
    assert torch.equal(posterior.quantile(torch.tensor(0.5).double()), half.double())


def test_probabilities_among_many_rounded_outcomes_sum_to_one() -> None:
    points = unit_points(100)
    noise = torch.randn(100, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    outcomes = (10.0 * noise - 80.0 * (points - 0.4).square().sum(-1)).round()
    model = RankingGP(points, outcomes.unsqueeze(-1), input_transform=None).fit()
    posterior = model.rank_posterior(NEW)
    probability = posterior.log_prob(torch.arange(101.0).double()).exp()
    torch.testing.assert_close(probability.sum(-1), torch.ones(5).double())


def test_the_averaged_law_has_gradients_and_no_unit() -> None:
    model, other = (fitted(outcomes) for outcomes in (NOISY, 3.0 * NOISY + 7.0))

    def law(points: Tensor) -> tuple[Tensor, ...]:
        posterior = model.rank_posterior(points)
        return posterior.mean, posterior.variance, posterior.log_rate

    assert gradcheck(law, NEW.clone().requires_grad_(), eps=1e-6, atol=1e-5)
    moved = model.rank_posterior(NEW).mean - other.rank_posterior(NEW).mean
    assert moved.abs().max() < 1e-6


@pytest.mark.parametrize("is_gross", [True, False])
def test_only_strong_evidence_sets_records_aside(is_gross: bool) -> None:
    outcomes, bad = SMOOTH.clone(), SMOOTH.argsort()[[2, 5]]
    outcomes[bad] += 9.0 * is_gross
    is_used, records = torch.ones(18, dtype=torch.bool).index_fill(0, bad, False), ranked(outcomes)
    with torch.no_grad():
        found = plausible_ranks(Sample(X, records, hyperparameters()), is_used, records, EVERY)
    assert {len(law.predictor.X) for law in found} == {16 if is_gross else 18}


FOUR, SIX = tensor([1.0, 2.0, 3.0, 4.0]), tensor([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])


def test_points_that_stand_for_no_utility_are_interpolated_by_place() -> None:
    used = torch.tensor([3, 1, 2])  # neither the best nor the worst two
    buckets = Buckets(ranked(SIX), used, tensor([0.0, 2.0, 1.5]))
    assert buckets.size.tolist() == [1.0] * 6
    assert buckets.place.tolist() == [1, 2, 3]
    assert buckets.record.tolist() == [1, 2, 0]
    values = buckets.interpolate(tensor([[2.0, 1.5, 0.0], [1.0, 0.0, -1.0]]))
    assert values.tolist() == [[2.5, 2.0, 1.5, 0.0, -1.5, -3.0], [2, 1, 0, -1, -2, -3]]


def test_points_of_several_tasks_are_ranked_by_their_utilities() -> None:
    both = combine(from_outcomes(line(4), FOUR), from_outcomes(line(6)[2:], FOUR))
    utilities = tensor([0.0, 3.0, 1.0, 2.0, 9.0, 9.0, -1.0, 0.5])
    buckets = Buckets(Records.from_order(both), torch.arange(8), utilities)
    assert buckets.size.tolist() == [1.0] * 6
    assert buckets.record.tolist() == [1, 3, 2, 7, 0, 6]
    # One without a record comes where it ranks.
    halves = combine(*(Order.from_scores(line(6)[i::2], SIX[i::2]) for i in (0, 1)))
    records = Records.from_order(halves)
    best = records.better.argsort(stable=True)[[0, 1, 2, 4]]
    buckets = Buckets(records, best, tensor([2.0, 1.0, 0.5, -1.0]))
    assert buckets.size.tolist() == [1.0, 1.0, 1.0, 3.0]


def test_a_point_with_several_records_is_known_by_the_one_with_the_least_noise() -> None:
    outcomes = from_outcomes(line(3), FOUR[:3])
    noisy = from_outcomes(line(3), FOUR[:3], tensor([1.0, 1.0, 1.0]))
    answers = from_comparisons(line(3), torch.tensor([[1, 0], [2, 1]]))
    for worse, better in ((outcomes, answers), (noisy, answers), (noisy, outcomes)):
        for orders, first in (((worse, better), 3), ((better, worse), 0)):
            records, utilities = Records.from_order(combine(*orders)), tensor([0.0, 1.0, 2.0] * 2)
            found = Buckets(records, torch.arange(6), utilities).record
            assert found.tolist() == [first + 2, first + 1, first]


def test_what_was_not_compared_is_not_one_bucket() -> None:
    order = from_top_k(line(6), torch.tensor([0]), torch.arange(1, 6))
    buckets = Buckets(Records.from_order(order), torch.arange(6), SIX)
    assert buckets.size.tolist() == [1.0] * 6
