import math

import pytest
import torch
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import GammaPrior, LogNormalPrior
from helpers.gaussian import unit_points
from torch.autograd import gradcheck

from botorch_popbo.models._covariance import KernelCovariance, MaternCovariance
from botorch_popbo.models._hyperparameters import (
    Hyperparameters,
    KernelHyperparameters,
    MaternHyperparameters,
    make_hyperparameters,
)
from botorch_popbo.models._priors import default_kernel, default_likelihood

X = unit_points(7)
LOG_NORMAL = LogNormalPrior(0.0, 1.0)
# Logarithms of two lengthscales, roughness and fineness, logarithm of the noise.
THETA = torch.tensor([-0.5, 0.4, -1.2, -0.9, -5.0], dtype=torch.float64)
IS_LOG = torch.tensor([True, True, False, False, True])


def matern(**options: object) -> MaternKernel:
    return MaternKernel(**{"nu": 2.5, "ard_num_dims": 2, "lengthscale_prior": LOG_NORMAL} | options)


def both_paths() -> tuple[MaternHyperparameters, KernelHyperparameters]:
    pairs = [(default_kernel(2).double(), default_likelihood().double()) for _ in range(2)]
    return MaternHyperparameters(*pairs[0]), KernelHyperparameters(*pairs[1])


@pytest.mark.parametrize(
    ("kernel", "likelihood", "is_closed"),
    [
        (default_kernel(2), default_likelihood(), True),
        (matern(), default_likelihood(), True),
        (matern(nu=1.5), default_likelihood(), False),
        (matern(ard_num_dims=None), default_likelihood(), False),
        (matern(active_dims=(0, 1)), default_likelihood(), False),
        (matern(lengthscale_prior=GammaPrior(3.0, 6.0)), default_likelihood(), False),
        (matern(lengthscale_prior=None), default_likelihood(), False),
        (matern(), GaussianLikelihood(), False),
        (ScaleKernel(default_kernel(2)), default_likelihood(), False),
        (RBFKernel(ard_num_dims=2), default_likelihood(), False),
    ],
)
def test_the_closed_form_is_used_where_there_is_one(
    kernel: Kernel, likelihood: GaussianLikelihood, is_closed: bool
) -> None:
    found = make_hyperparameters(kernel, likelihood, 2)
    assert type(found) is (MaternHyperparameters if is_closed else KernelHyperparameters)
    kind = MaternCovariance if is_closed else KernelCovariance
    assert type(found.covariance_function(X)) is kind


def test_the_closed_form_equals_the_generic_path() -> None:
    # The default's parameters are the lengthscales themselves, the closed form's their logarithms.
    closed, generic = both_paths()
    values = THETA.exp().where(IS_LOG, THETA)
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
    by_log = gradients[1] * values.where(IS_LOG, 1.0)
    torch.testing.assert_close(gradients[0], by_log, rtol=1e-9, atol=1e-9)
    # Log-densities differ by the logarithms' own density, and by a constant.
    differences = []
    for theta in (THETA, THETA + 0.2):
        first, _ = closed.log_prior(closed.standardize(theta))
        values = theta.exp().where(IS_LOG, theta)
        second, _ = generic.log_prior(generic.standardize(values))
        differences.append(first - second - theta[IS_LOG].sum())
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


def test_the_prior_of_any_module_counts() -> None:
    kernel = ScaleKernel(
        RBFKernel(ard_num_dims=2, lengthscale_prior=GammaPrior(3.0, 6.0)),
        outputscale_prior=GammaPrior(2.0, 0.5),
    )
    likelihood = GaussianLikelihood(noise_prior=LogNormalPrior(-4.0, 1.0))
    search = KernelHyperparameters(kernel.double(), likelihood.double())
    at = torch.tensor([0.3, -0.2, 0.1, 0.2], dtype=torch.float64)
    value, slope = search.log_prior(at)
    positive = torch.nn.functional.softplus(search.restore(at))
    expected = GammaPrior(2.0, 0.5).log_prob(positive[0])
    expected = expected + GammaPrior(3.0, 6.0).log_prob(positive[1:3]).sum()
    expected = expected + LogNormalPrior(-4.0, 1.0).log_prob(positive[3] + 1e-4)
    torch.testing.assert_close(value, expected, rtol=1e-6, atol=1e-6)
    steps = 1e-5 * torch.eye(4).double()
    by_steps = [(search.log_prior(at + s)[0] - search.log_prior(at - s)[0]) / 2e-5 for s in steps]
    torch.testing.assert_close(slope, torch.stack(by_steps), rtol=1e-5, atol=1e-6)
    without = KernelHyperparameters(RBFKernel().double(), GaussianLikelihood().double())
    value, slope = without.log_prior(torch.zeros(2).double())
    assert value == 0.0
    assert slope.tolist() == [0.0, 0.0]


def test_the_log_prior_of_the_closed_form_is_differentiable() -> None:
    closed, _ = both_paths()
    at = THETA.clone().requires_grad_()
    assert gradcheck(lambda x: closed.log_prior(x)[0], at)
    assert torch.equal(closed.log_prior(THETA)[1], -THETA)


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
    assert closed.limits[0].exp().tolist() == pytest.approx(list(bounds))
