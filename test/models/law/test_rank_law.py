import math

import pytest
import torch
from helpers.gaussian import hyperparameters, ranked, unit_points
from helpers.ranking import tensor
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo import RankingGP
from botorch_popbo.models._fit.evidence import Evidence
from botorch_popbo.models._law.law import Law, condition_on_order
from botorch_popbo.models._law.rank_law import _falling, averaged
from botorch_popbo.models._records.records import Records

X = unit_points(9)
NEW = unit_points(5, seed=1)
OUTCOMES = (4.0 * X[:, 0]).sin() + X[:, 1]
TIED = (3.0 * OUTCOMES).round()
THETA = torch.cat([tensor([0.5, 0.8]).log(), tensor([-2.0, -1.6]), tensor([1e-2]).log()])


def law_of(records: Records, index: Tensor | None = None) -> Law:
    index = torch.arange(len(X)) if index is None else index
    return condition_on_order(X[index], records, index, hyperparameters(), THETA)


def drawn_differences(records: Records, noise: float) -> tuple[Tensor, Tensor]:
    """Moments of new utilities less those of the records, by drawing all of them.

    Differences along the order are drawn from Laplace's approximation, utilities given these.
    """
    generator = torch.Generator().manual_seed(0)
    conditioned = Evidence(X, records, hyperparameters()).condition(THETA)
    with torch.no_grad():
        kernel = hyperparameters().kernel(THETA)
        prior = kernel(torch.cat([X, NEW])).to_dense()
    prior[:9, :9] = conditioned.covariance.matrix
    prior[9:, 9:] += noise * torch.eye(5).double()
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
    law = law_of(ranked(OUTCOMES)).ranks
    mean, deviation = drawn_differences(ranked(OUTCOMES), 1e-2 * noisy)
    score = -mean / deviation
    expected = _falling(score, -mean / deviation.mean(-1, keepdim=True))
    torch.testing.assert_close(law.thresholds(NEW, noisy), expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("outcomes", [OUTCOMES, TIED], ids=["strict", "tied"])
def test_scores_fall_and_have_gradients(outcomes: Tensor) -> None:
    law = law_of(ranked(outcomes)).ranks
    far = torch.cat([NEW, X, 3.0 * NEW])
    scores = law.thresholds(far.reshape(1, -1, 2), False)
    assert scores.shape == (1, len(far), len(outcomes.unique()))
    assert (scores.diff(dim=-1) < 0.0).all()
    points = NEW.clone().requires_grad_()
    assert gradcheck(lambda x: law.thresholds(x, True), points, eps=1e-6, atol=1e-6)


def test_records_without_a_utility_have_thresholds_between_the_others() -> None:
    index = torch.tensor([0, 1, 2, 4, 5, 6, 8])
    law = law_of(ranked(OUTCOMES), index).ranks
    known = law.thresholds(NEW, False)  # several laws are averaged before all buckets are asked for
    assert known.shape == (5, 7)
    scores = law.buckets.interpolate(known)
    assert torch.equal(scores[:, law.buckets.place], known)
    assert scores.shape == (5, 9)
    assert (scores.diff(dim=-1) < 0.0).all()


def test_noise_brings_all_ranks_closer() -> None:
    law = law_of(ranked(OUTCOMES)).ranks
    assert law.thresholds(NEW, True).abs().sum() < law.thresholds(NEW, False).abs().sum()


def test_scores_that_fall_stay_as_they_are() -> None:
    falling = tensor([[3.0, 1.0, 0.2, -0.5, -4.0]])
    assert torch.equal(_falling(falling, torch.zeros_like(falling)), falling)


def test_scores_that_rise_stay_at_the_centre() -> None:
    score, reference = tensor([1.0, 2.0, 0.5, -2.0, -1.0]), tensor([2.0, 1.0, 0.0, -1.0, -2.0])
    found = _falling(score, reference)
    assert (found.diff() <= -0.1 + 1e-12).all()
    torch.testing.assert_close(found[1:4], score[1:4])
    torch.testing.assert_close(found[[0, 4]], tensor([2.1, -2.1]))


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


def test_no_point_has_no_thresholds() -> None:
    X = torch.rand(6, 2, dtype=torch.double)
    model = RankingGP(X, X[:, :1])
    for points in (torch.rand(0, 2).double(), torch.rand(3, 0, 2).double()):
        assert model.rank_posterior(points).mean.shape == (*points.shape[:-1], 1)


def test_the_average_of_equal_laws_is_the_law_however_far_out() -> None:
    scores = torch.linspace(30.0, -30.0, 25).double().requires_grad_()
    found = averaged([scores] * 3)
    torch.testing.assert_close(found, scores)
    (slope,) = torch.autograd.grad(found.sum(), scores)
    torch.testing.assert_close(slope, torch.ones_like(slope))
