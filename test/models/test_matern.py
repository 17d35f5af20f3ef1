import torch
from helpers.gaussian import kernel, unit_points

from botorch_popbo.models._matern import matern_value, matern_value_and_slope

ONE = torch.ones(3, dtype=torch.float64)


def test_it_is_gpytorchs_kernel() -> None:
    X, other = unit_points(5, 3), unit_points(4, 3, seed=1)
    expected = kernel(ONE)(X, other).to_dense()
    torch.testing.assert_close(matern_value(torch.cdist(X, other)), expected)


def test_the_slope_is_the_derivative_by_the_squared_distance() -> None:
    squared = torch.tensor([1e-6, 0.1, 1.0, 30.0], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(matern_value(squared.sqrt()).sum(), squared)
    value, found = matern_value_and_slope(squared.detach().sqrt())
    torch.testing.assert_close(found, -slope)
    torch.testing.assert_close(value, matern_value(squared.detach().sqrt()))


def test_limits() -> None:
    distance = torch.tensor([0.0, 1e4], dtype=torch.float64)
    assert matern_value(distance).tolist() == [1.0, 0.0]
    value, slope = matern_value_and_slope(distance)
    assert value.tolist() == [1.0, 0.0]
    assert slope.tolist() == [5.0 / 6.0, 0.0]
