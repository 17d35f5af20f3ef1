import pytest
import torch
from helpers.gaussian import MEAN_VARIANCE, kernel, ranked, unit_points
from torch.autograd import gradcheck

from botorch_popbo.rates.covariance import JITTER, PairwiseDistances
from botorch_popbo.rates.evidence import condition
from botorch_popbo.rates.prediction import Predictor

X = unit_points(12)
TEST_X = unit_points(5, seed=1)
LENGTHSCALE = torch.tensor([0.5, 1.0], dtype=torch.float64)
NOISE = 1e-3
RANKING = ranked(-(X - 0.3).square().sum(-1))
ZERO = torch.tensor(0.0, dtype=torch.float64)


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    log_theta = torch.cat([LENGTHSCALE, torch.tensor([NOISE])]).log()
    return Predictor.from_fit(X, condition(PairwiseDistances(X), RANKING, log_theta))


def test_joint_law_and_moments_agree(predictor: Predictor) -> None:
    joint = predictor.joint(TEST_X, ZERO)
    mean, variance = predictor.moments(TEST_X)
    torch.testing.assert_close(joint.mean, mean)
    torch.testing.assert_close(joint.variance, variance + JITTER, rtol=0, atol=1e-10)


def test_noise_is_added_once_to_each_point(predictor: Predictor) -> None:
    plain, noisy = (predictor.joint(TEST_X, ZERO + noise) for noise in (0.0, 0.25))
    added = noisy.covariance_matrix - plain.covariance_matrix
    torch.testing.assert_close(added, 0.25 * torch.eye(5, dtype=torch.float64))


def test_records_are_predicted_in_their_order(predictor: Predictor) -> None:
    mean, variance = predictor.moments(X)
    assert torch.equal(mean.argsort(descending=True), RANKING.level.argsort())
    _, elsewhere = predictor.moments(TEST_X + 3.0)
    assert variance.max() < elsewhere.min()


def test_a_batch_is_many_single_evaluations(predictor: Predictor) -> None:
    batch = unit_points(24, seed=2).reshape(2, 3, 4, 2)
    flat = predictor.moments(batch.reshape(24, 2))
    for values, expected in zip(predictor.moments(batch), flat, strict=True):
        assert values.shape == (2, 3, 4)
        torch.testing.assert_close(values.flatten(), expected)
    joint = predictor.joint(batch, ZERO)
    single = predictor.joint(batch[1, 2], ZERO)
    torch.testing.assert_close(joint.covariance_matrix[1, 2], single.covariance_matrix)


def test_gradients(predictor: Predictor) -> None:
    points = TEST_X.clone().requires_grad_()
    assert gradcheck(predictor.moments, points, eps=1e-6, atol=1e-6)


def test_the_prior_is_that_of_the_fit(predictor: Predictor) -> None:
    matrix = predictor.root @ predictor.root.T
    expected = kernel(LENGTHSCALE)(X).to_dense().detach() + MEAN_VARIANCE
    expected = expected + (NOISE + JITTER) * torch.eye(12).double() + RANKING.variance.diag()
    torch.testing.assert_close(matrix @ expected, torch.eye(12).double(), rtol=0, atol=1e-6)
