import math

import pytest
import torch
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import MaternKernel
from gpytorch.priors import LogNormalPrior
from helpers.gaussian import unit_points

from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._hyperparameters.kernel import KernelHyperparameters
from botorch_popbo.models._hyperparameters.matern import MaternHyperparameters
from botorch_popbo.models._hyperparameters.priors import default_kernel, default_likelihood

X = unit_points(7)
LOG_NORMAL = LogNormalPrior(0.0, 1.0)
# Logarithms of two lengthscales, roughness and fineness, logarithm of the noise.
THETA = torch.tensor([-0.5, 0.4, -1.2, -0.9, -5.0], dtype=torch.float64)
IS_LENGTHSCALE = torch.tensor([True, True, False, False, False])


def matern(**options: object) -> MaternKernel:
    return MaternKernel(**{"nu": 2.5, "ard_num_dims": 2, "lengthscale_prior": LOG_NORMAL} | options)


def both_paths() -> tuple[MaternHyperparameters, KernelHyperparameters]:
    pairs = [(default_kernel(2).double(), default_likelihood().double()) for _ in range(2)]
    return MaternHyperparameters(*pairs[0]), KernelHyperparameters(*pairs[1])


def test_the_closed_form_equals_the_generic_path() -> None:
    # The default's parameters are the lengthscales themselves, the closed form's their logarithms.
    closed, generic = both_paths()
    values = THETA.exp().where(IS_LENGTHSCALE, THETA)
    slope = torch.ones(7, 7).double() + 0.3 * torch.eye(7).double()
    matrices, gradients, noises, laws = [], [], [], []
    for search, theta in ((closed, THETA), (generic, values)):
        function = search.covariance_function(X)
        noise, by_noise = search.noise(theta)
        covariance = function.covariance(theta[:-1], noise)
        matrices.append(covariance.matrix)
        by_kernel = function.gradient(slope, covariance, theta[:-1])
        gradients.append(torch.cat([by_kernel, by_noise.reshape(1)]))
        noises.append(noise)
        laws.append(search.kernel(theta)(X).to_dense())
    torch.testing.assert_close(*matrices, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(*noises)
    torch.testing.assert_close(*laws, rtol=1e-10, atol=1e-10)
    by_log = gradients[1] * values.where(IS_LENGTHSCALE, 1.0)
    torch.testing.assert_close(gradients[0], by_log, rtol=1e-9, atol=1e-9)
    # Both are the density of the logarithms, but for a constant.
    differences = []
    for theta in (THETA, THETA + 0.2):
        first, _ = closed.log_prior(closed.standardize(theta))
        values = theta.exp().where(IS_LENGTHSCALE, theta)
        second, _ = generic.log_prior(generic.standardize(values))
        differences.append(first - second)
    torch.testing.assert_close(*differences, rtol=0, atol=1e-5)


@pytest.mark.parametrize("path", [0, 1], ids=["closed_form", "generic"])
def test_coordinates_values_and_copies(path: int) -> None:
    search: Hyperparameters = both_paths()[path]
    theta = search.current()
    torch.testing.assert_close(search.restore(search.standardize(theta)), theta)
    kernel = search.kernel(theta + 0.1)
    assert not any(p.requires_grad for p in kernel.parameters())
    assert torch.equal(search.current(), theta)  # other values were of a copy
    search.assign(theta + 0.1)
    torch.testing.assert_close(search.current(), theta + 0.1)
    low, high = search.limits.T
    assert ((low < theta) & (theta < high)).all()


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (Interval(0.2, 0.4, transform=None, initial_value=0.3), [0.2, 0.4]),
        (Interval(0.2, 0.4), None),
        (GreaterThan(0.1), None),
    ],
    ids=["of the value itself", "through a sigmoid", "through a softplus"],
)
def test_limits_are_those_of_the_constraints(
    constraint: Interval, expected: list[float] | None
) -> None:
    # With the closed form they bound the logarithms, else raw parameters without a transform.
    options = {"lengthscale_constraint": constraint}
    generic = KernelHyperparameters(matern(**options), default_likelihood())
    low, high = generic.limits[0].tolist()
    if expected is None:
        ends = constraint.transform(torch.tensor([low, high], dtype=torch.double))
        assert math.isfinite(high)
        assert constraint.lower_bound < ends[0] < ends[1]
        assert float(constraint.upper_bound) in (ends[1], math.inf)
    else:
        assert [low, high] == pytest.approx(expected, rel=1e-6)
    closed = MaternHyperparameters(matern(**options), default_likelihood())
    bounds = (float(constraint.lower_bound), float(constraint.upper_bound))
    found = closed.limits[0].exp().tolist()
    assert found == pytest.approx(list(bounds), rel=1e-6 if expected else 2e-4)
    assert expected or bounds[0] < found[0] < found[1] <= bounds[1]
