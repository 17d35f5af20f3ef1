import pytest
import torch
from gpytorch.kernels import RBFKernel, ScaleKernel
from helpers.gaussian import (
    LENGTHSCALE,
    NOISE,
    conditional_law,
    dense_law,
    explained,
    kernel,
    ranked,
    unit_points,
)
from torch.autograd import gradcheck

from botorch_popbo.likelihoods.weights import JITTER
from botorch_popbo.models._predict import predictor as module
from botorch_popbo.models._predict.predictor import Predictor

X = unit_points(12)
TEST_X = unit_points(5, seed=1)
RECORDS = ranked(-(X - 0.3).square().sum(-1))


def scaled_rbf() -> Predictor:
    """Of a prior variance that is not one."""
    prior = ScaleKernel(RBFKernel()).double()
    prior.outputscale, prior.base_kernel.lengthscale = 2.5, 0.6
    return conditional_law(X, RECORDS, prior)


@pytest.fixture(scope="module", params=["matern", "scaled_rbf"])
def predictor(request: pytest.FixtureRequest) -> Predictor:
    return conditional_law(X, RECORDS) if request.param == "matern" else scaled_rbf()


def test_it_is_the_law_by_dense_matrices(predictor: Predictor) -> None:
    mean, covariance = dense_law(predictor, TEST_X)
    torch.testing.assert_close(predictor.mean(TEST_X), mean, rtol=0, atol=1e-8)
    found = predictor.covariance(TEST_X, TEST_X)
    torch.testing.assert_close(found, covariance, rtol=0, atol=1e-8)
    found = predictor.covariance(TEST_X[:2], TEST_X[2:])
    torch.testing.assert_close(found, covariance[:2, 2:], rtol=0, atol=1e-8)
    for values, expected in zip(
        predictor.moments(TEST_X), (mean, covariance.diagonal()), strict=True
    ):
        torch.testing.assert_close(values, expected, rtol=0, atol=1e-8)


def test_what_the_order_leaves_open_is_not_held_against_a_point(predictor: Predictor) -> None:
    mean, variance = predictor.moments(TEST_X)
    unexplained = predictor.unexplained(TEST_X)
    assert ((unexplained > 0.0) & (unexplained < variance)).all()
    torch.testing.assert_close(predictor.pessimistic(TEST_X), mean - unexplained.sqrt())


def test_records_are_predicted_in_their_order(predictor: Predictor) -> None:
    mean, variance = predictor.moments(X)
    assert torch.equal(mean.argsort(descending=True), RECORDS.level.argsort())
    _, elsewhere = predictor.moments(TEST_X + 3.0)
    assert variance.max() < elsewhere.min()


def test_a_batch_is_many_single_evaluations(predictor: Predictor) -> None:
    batch = unit_points(24, seed=2).reshape(2, 3, 4, 2)
    flat = predictor.moments(batch.reshape(24, 2))
    for values, expected in zip(predictor.moments(batch), flat, strict=True):
        assert values.shape == (2, 3, 4)
        torch.testing.assert_close(values.flatten(), expected)
    single = predictor.covariance(batch[1, 2], batch[1, 2])
    torch.testing.assert_close(predictor.covariance(batch, batch)[1, 2], single)


def test_many_points_are_predicted_in_parts(
    predictor: Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = unit_points(24, seed=2).reshape(4, 6, -1).requires_grad_()
    whole = (predictor.mean(points), *predictor.moments(points))
    (slope,) = torch.autograd.grad(sum(values.sum() for values in whole), points)
    monkeypatch.setattr(module, "_BLOCK", 5 * len(X))
    sizes, cross = [], Predictor.cross
    monkeypatch.setattr(Predictor, "cross", lambda law, x: sizes.append(len(x)) or cross(law, x))
    parts = (predictor.mean(points), *predictor.moments(points))
    torch.testing.assert_close(parts, whole)
    torch.testing.assert_close(torch.autograd.grad(sum(v.sum() for v in parts), points), (slope,))
    assert sizes == [5, 5, 5, 5, 4] * 2


def test_gradients(predictor: Predictor) -> None:
    points = TEST_X.clone().requires_grad_()
    assert gradcheck(predictor.moments, points, eps=1e-6, atol=1e-6)
    assert gradcheck(lambda x: predictor.covariance(x, x), points, eps=1e-6, atol=1e-6)


def test_the_prior_is_that_of_the_fit() -> None:
    predictor = conditional_law(X, RECORDS)
    prior = kernel(LENGTHSCALE)(X).to_dense().detach()
    prior = prior + (NOISE + JITTER) * torch.eye(12).double() + RECORDS.known_variance.diag()
    found = predictor.root @ predictor.root.T
    torch.testing.assert_close(found, explained(prior), rtol=1e-6, atol=1e-5)


def test_the_order_explains_less_than_certain_utilities(predictor: Predictor) -> None:
    left_open = torch.linalg.eigvalsh(predictor.left_open)
    # As many directions as there are gaps; nothing is known of the level.
    torch.testing.assert_close(left_open[0], torch.zeros(()).double(), rtol=0, atol=1e-8)
    assert (left_open[1:] > 0.0).all()
    torch.testing.assert_close(
        predictor.weights.sum(), torch.zeros(()).double(), rtol=0, atol=1e-10
    )
