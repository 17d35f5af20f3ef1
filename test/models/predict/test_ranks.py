import math

import pytest
import torch
from helpers.gaussian import hyperparameters, ranked, unit_points
from helpers.ranking import line, tensor
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo.data import Order, combine, from_comparisons, from_outcomes, from_top_k
from botorch_popbo.models._fit.evidence import Evidence, Sample
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._predict.ranks import Buckets, RankPredictor, _falling, averaged

X = unit_points(9)
NEW = unit_points(5, seed=1)
OUTCOMES = (4.0 * X[:, 0]).sin() + X[:, 1]
TIED = (3.0 * OUTCOMES).round()
# Lengthscales of 0.5 and 0.8, and noise of 0.01, in deviations of their priors.
LOGS = torch.cat([tensor([0.5, 0.8]).log() / 0.7, tensor([0.0, 0.0]), tensor([0.697])])


def law_of(records: Observations, index: Tensor | None = None) -> RankPredictor:
    index = torch.arange(len(X)) if index is None else index
    with torch.no_grad():
        return RankPredictor(LOGS, Sample(X, records, hyperparameters()), index)


def drawn_differences(records: Observations, noisy: bool) -> tuple[Tensor, Tensor]:
    """Moments of new utilities less those of the records, by drawing all of them.

    Differences along the order are drawn from Laplace's approximation, utilities given these.
    """
    generator = torch.Generator().manual_seed(0)
    conditioned = Evidence(Sample(X, records, hyperparameters())).condition(LOGS)
    with torch.no_grad():
        prior = hyperparameters().assign(LOGS).kernel(torch.cat([X, NEW])).to_dense()
    prior[:9, :9] = conditioned.covariance
    prior[9:, 9:] += conditioned.noise * noisy * torch.eye(5).double()
    # Rows of differences along the order and of the differences that are asked for.
    along = torch.zeros(8, 14).double()
    order = OUTCOMES.argsort(descending=True)
    along[torch.arange(8), order[:-1]] = 1.0
    along[torch.arange(8), order[1:]] = -1.0
    asked = torch.zeros(45, 14).double()
    asked[torch.arange(45), 9 + torch.arange(5).repeat_interleave(9)] = 1.0
    asked[torch.arange(45), order.repeat(5)] -= 1.0
    gain = asked @ prior @ along.T @ torch.linalg.inv(along @ prior @ along.T)
    gaps = conditioned.utilities.utilities[order].diff().neg()
    precision = torch.linalg.inv(along @ prior @ along.T) + gaps.pow(-2).diag()
    root = torch.linalg.cholesky(torch.linalg.inv(precision))
    rest = asked @ prior @ asked.T - gain @ along @ prior @ asked.T
    rest_root = torch.linalg.eigh(rest)
    rest_root = rest_root.eigenvectors * rest_root.eigenvalues.clamp_min(0.0).sqrt()
    normal = torch.randn(100_000, 8 + 45, generator=generator, dtype=torch.double)
    differences = (gaps + normal[:, :8] @ root.T) @ gain.T + normal[:, 8:] @ rest_root.T
    return differences.mean(0).reshape(5, 9), differences.std(0).reshape(5, 9)


@pytest.mark.parametrize("noisy", [False, True])
def test_scores_are_those_of_drawn_differences(noisy: bool) -> None:
    law = law_of(ranked(OUTCOMES))
    mean, deviation = drawn_differences(ranked(OUTCOMES), noisy)
    score = -mean / deviation
    expected = _falling(score, -mean / deviation.mean(-1, keepdim=True), 0.1)
    torch.testing.assert_close(law.thresholds(NEW, noisy), expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("outcomes", [OUTCOMES, TIED], ids=["strict", "tied"])
def test_scores_fall_and_have_gradients(outcomes: Tensor) -> None:
    law = law_of(ranked(outcomes))
    far = torch.cat([NEW, X, 3.0 * NEW])
    scores = law.thresholds(far.reshape(1, -1, 2), False)
    assert scores.shape == (1, len(far), len(outcomes.unique()))
    assert (scores.diff(dim=-1) < 0.0).all()
    points = NEW.clone().requires_grad_()
    assert gradcheck(lambda x: law.thresholds(x, True), points, eps=1e-6, atol=1e-6)


def test_averaged_scores_have_averaged_probabilities() -> None:
    scores = torch.stack([torch.linspace(9.0, -9.0, 7).double(), torch.linspace(3, -4, 7).double()])
    found = averaged(list(scores))
    torch.testing.assert_close(
        torch.special.ndtr(found), torch.special.ndtr(scores).mean(0), rtol=1e-12, atol=0
    )
    torch.testing.assert_close(
        torch.special.ndtr(-found), torch.special.ndtr(-scores).mean(0), rtol=1e-12, atol=0
    )
    assert torch.equal(averaged([scores[0]]), scores[0])


def test_averaged_scores_are_finite_in_the_far_tail() -> None:
    scores = tensor([60.0, 0.1, -60.0]).requires_grad_()
    found = averaged([scores, 1.1 * scores])
    assert found.isfinite().all()
    assert torch.autograd.grad(found.sum(), scores)[0].isfinite().all()
    assert math.isclose(found[0].item(), -found[2].item())


def scored(scores: list[float]) -> Observations:
    return observations_of(Order.from_scores(line(len(scores)), tensor(scores)))


def test_points_that_stand_for_no_utility_are_interpolated_by_place() -> None:
    records = scored([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    used = torch.tensor([3, 1, 2])  # neither the best nor the worst two
    buckets = Buckets(records, used, tensor([0.0, 2.0, 1.5]))
    assert buckets.size.tolist() == [1.0] * 6
    assert buckets.place.tolist() == [1, 2, 3]
    assert buckets.record.tolist() == [1, 2, 0]
    values = buckets.interpolate(tensor([[2.0, 1.5, 0.0], [1.0, 0.0, -1.0]]))
    assert values.tolist() == [[2.5, 2.0, 1.5, 0.0, -1.5, -3.0], [2, 1, 0, -1, -2, -3]]


def test_points_of_several_tasks_are_ranked_by_their_utilities() -> None:
    first = from_outcomes(line(4), tensor([1.0, 2.0, 3.0, 4.0]))
    both = combine(first, from_outcomes(line(6)[2:], tensor([1.0, 2.0, 3.0, 4.0])))
    records = observations_of(both)
    assert len(records.item) == 8
    utilities = tensor([0.0, 3.0, 1.0, 2.0, 9.0, 9.0, -1.0, 0.5])
    buckets = Buckets(records, torch.arange(8), utilities)
    assert buckets.size.tolist() == [1.0] * 6
    assert buckets.record.tolist() == [1, 3, 2, 7, 0, 6]


def test_a_point_with_several_records_is_known_by_the_one_with_the_least_noise() -> None:
    outcomes = from_outcomes(line(3), tensor([1.0, 2.0, 3.0]))
    noisy = from_outcomes(line(3), tensor([1.0, 2.0, 3.0]), tensor([1.0, 1.0, 1.0]))
    answers = from_comparisons(line(3), torch.tensor([[1, 0], [2, 1]]))
    for worse, better in ((outcomes, answers), (noisy, answers), (noisy, outcomes)):
        for orders, first in (((worse, better), 3), ((better, worse), 0)):
            buckets = Buckets(
                observations_of(combine(*orders)), torch.arange(6), tensor([0.0, 1.0, 2.0] * 2)
            )
            assert buckets.record.tolist() == [first + 2, first + 1, first]


def test_of_several_tasks_a_point_without_a_record_comes_where_it_ranks() -> None:
    scores = tensor([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    order = combine(*(Order.from_scores(line(6)[i::2], scores[i::2]) for i in (0, 1)))
    records = observations_of(order)
    best = records.better.argsort(stable=True)[[0, 1, 2, 4]]
    buckets = Buckets(records, best, tensor([2.0, 1.0, 0.5, -1.0]))
    assert buckets.size.tolist() == [1.0, 1.0, 1.0, 3.0]


def test_what_was_not_compared_is_not_one_bucket() -> None:
    records = observations_of(from_top_k(line(6), torch.tensor([0]), torch.arange(1, 6)))
    buckets = Buckets(records, torch.arange(6), -tensor([0.0, 1, 2, 3, 4, 5]))
    assert buckets.size.tolist() == [1.0] * 6
