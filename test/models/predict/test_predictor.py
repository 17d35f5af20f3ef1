import pytest
import torch
from gpytorch.kernels import RBFKernel, ScaleKernel
from helpers.gaussian import (
    conditional_law,
    dense_law,
    ranked,
    unit_points,
)

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
