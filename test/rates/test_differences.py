import pytest
import torch
from helpers.gaussian import covariance, ranked, unit_points
from torch.autograd import gradcheck

from botorch_popbo.rates.covariance import PairwiseDistances
from botorch_popbo.rates.differences import Differences
from botorch_popbo.rates.evidence import condition
from botorch_popbo.rates.prediction import Predictor

X = unit_points(12)
TEST_X = unit_points(5, seed=1)
LENGTHSCALE = torch.tensor([0.5, 1.0], dtype=torch.float64)
NOISE = 1e-3
RANKING = ranked(-(X - 0.3).square().sum(-1))


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    log_theta = torch.cat([LENGTHSCALE, torch.tensor([NOISE])]).log()
    return Predictor.from_fit(X, condition(PairwiseDistances(X), RANKING, log_theta))


def test_they_have_the_moments_of_the_conditional_law(predictor: Predictor) -> None:
    # Condition by hand on noisy utilities, which the order leaves open by a known covariance.
    everything = covariance(torch.cat([X, TEST_X]), LENGTHSCALE)
    cross = everything[12:, :12]
    precision = torch.linalg.inv(covariance(X, LENGTHSCALE, NOISE))
    left_open = predictor.spread_root @ predictor.spread_root.T
    joint = everything[12:, 12:] - cross @ (precision - left_open) @ cross.T
    mean, variance, own = Differences.from_predictor(predictor, TEST_X[2]).moments(TEST_X)
    contrast = torch.eye(5, dtype=torch.float64) - torch.eye(5, dtype=torch.float64)[2]
    torch.testing.assert_close(
        variance, (contrast @ joint @ contrast.T).diagonal(), rtol=0, atol=1e-6
    )
    torch.testing.assert_close(mean, contrast @ cross @ predictor.weights, rtol=0, atol=1e-8)
    assert variance[2].item() == pytest.approx(0.0, abs=1e-12)
    # Relative to the records' average, and without what the order leaves open.
    contrast = torch.cat([-torch.full((5, 12), 1 / 12), torch.eye(5)], dim=-1).double()
    known = everything - everything[:, :12] @ precision @ everything[:12]
    expected = (contrast @ known @ contrast.T).diagonal()
    torch.testing.assert_close(own, expected, rtol=0, atol=1e-6)


def test_they_agree_with_the_joint_law(predictor: Predictor) -> None:
    joint = predictor.joint(TEST_X, torch.tensor(0.0).double())
    matrix = joint.covariance_matrix
    difference = matrix.diagonal() + matrix[0, 0] - 2.0 * matrix[0]
    mean, variance, _ = Differences.from_predictor(predictor, TEST_X[0]).moments(TEST_X)
    torch.testing.assert_close(joint.mean - joint.mean[0], mean, rtol=0, atol=1e-8)
    torch.testing.assert_close(difference[1:], variance[1:], rtol=0, atol=1e-7)


def test_a_batch_is_many_single_evaluations(predictor: Predictor) -> None:
    differences = Differences.from_predictor(predictor, X[0])
    batch = unit_points(24, seed=2).reshape(2, 3, 4, 2)
    flat = differences.moments(batch.reshape(24, 2))
    for values, expected in zip(differences.moments(batch), flat, strict=True):
        assert values.shape == (2, 3, 4)
        torch.testing.assert_close(values.flatten(), expected)


@pytest.mark.parametrize("reference", [X[0], TEST_X[1] + 1.0])
def test_gradients(predictor: Predictor, reference: torch.Tensor) -> None:
    differences = Differences.from_predictor(predictor, reference)
    points = torch.cat([TEST_X, reference.unsqueeze(0) + 0.01]).requires_grad_()
    assert gradcheck(differences.moments, points, eps=1e-6, atol=1e-6)
