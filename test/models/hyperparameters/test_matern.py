import math

import pytest
import torch
from botorch.exceptions import UnsupportedError
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import MaternKernel
from gpytorch.priors import LogNormalPrior
from helpers.gaussian import hyperparameters, smooth, unit_points
from torch.autograd import gradcheck

from botorch_popbo.models._hyperparameters.matern import MaternHyperparameters, is_closed_form
from botorch_popbo.models._hyperparameters.priors import default_kernel, default_likelihood

PRIOR = LogNormalPrior(0.0, 1.0)


def test_the_log_prior_of_the_closed_form_is_differentiable() -> None:
    closed = hyperparameters(2)
    theta = torch.tensor([-0.5, 0.4, -1.2, -0.9, -5.0], dtype=torch.float64)
    at = theta.clone().requires_grad_()
    assert gradcheck(lambda x: closed.log_prior(x)[0], at)
    assert torch.equal(closed.log_prior(theta)[1], -theta)


@pytest.mark.parametrize("bounds", [(0.05, 3.0), (0.5, math.inf), (0.7, 0.7001)])
def test_a_bound_of_a_constraint_can_be_assigned(bounds: tuple[float, float]) -> None:
    constraint = Interval(*bounds) if math.isfinite(bounds[1]) else GreaterThan(bounds[0])
    kernel = MaternKernel(
        2.5, ard_num_dims=1, lengthscale_prior=PRIOR, lengthscale_constraint=constraint
    )
    search = MaternHyperparameters(kernel, default_likelihood())
    for end in (0, 1):
        theta = search.limits[:, end].clamp(-50.0, 50.0)
        search.assign(theta)
        torch.testing.assert_close(search.current()[0], theta[0], rtol=1e-3, atol=1e-3)


def test_the_covariance_is_that_of_a_kernel_with_other_directions() -> None:
    kernel, likelihood = default_kernel(2).double(), default_likelihood().double()
    search = MaternHyperparameters(kernel, likelihood)
    axes = torch.tensor([[0.6, -0.8], [0.8, 0.6]], dtype=torch.float64)
    twice = search.rotated(axes).rotated(axes)
    theta = torch.tensor([-1.0, 0.5, -1.0, -1.2, -5.0], dtype=torch.float64)
    X = unit_points(6)
    with torch.no_grad():
        found = twice.covariance_function(X).covariance(theta[:-1], theta.new_zeros(())).matrix
        torch.testing.assert_close(found, twice.kernel(theta)(X).to_dense(), atol=1e-7, rtol=0.0)
        turned = search.kernel(theta)(X @ axes @ axes).to_dense()
        torch.testing.assert_close(found, turned, atol=1e-7, rtol=0.0)
        twice.assign(theta)
        torch.testing.assert_close(kernel(X).to_dense(), turned, atol=1e-7, rtol=0.0)
    again = MaternHyperparameters(kernel, likelihood)
    torch.testing.assert_close(again.rotation, axes @ axes)


def test_a_kernel_without_directions_keeps_its_columns() -> None:
    search = MaternHyperparameters(smooth(), default_likelihood().double())
    assert search.rotation is None
    with pytest.raises(UnsupportedError, match="directions of MaternHyperparameters are fixed"):
        search.rotated(torch.eye(2).double())


def test_a_prior_may_differ_between_columns() -> None:
    prior = LogNormalPrior(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5]))
    kernel = MaternKernel(2.5, ard_num_dims=2, lengthscale_prior=prior)
    assert is_closed_form(kernel, default_likelihood(), 2)
    search = MaternHyperparameters(kernel, default_likelihood())
    assert search.loc[:2].tolist() == [0.0, 1.0]
    assert search.scale[:2].tolist() == [1.0, 0.5]
