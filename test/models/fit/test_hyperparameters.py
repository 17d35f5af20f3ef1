import math

import pytest
import torch
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import GammaPrior, LogNormalPrior

from botorch_popbo.models._fit.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models._fit.priors import (
    TaskCorrelation,
    default_kernel,
    default_likelihood,
    rank_likelihood,
)
from botorch_popbo.settings import ModelSettings

SETTINGS = ModelSettings()
KERNELS = {
    "default": lambda: default_kernel(2),
    "categorical": lambda: default_kernel(2, is_categorical=True),
    "other": lambda: ScaleKernel(
        RBFKernel(ard_num_dims=2, lengthscale_prior=GammaPrior(3.0, 6.0)),
        outputscale_prior=LogNormalPrior(0.0, 1.0),
    ),
}


def search(kernel: Kernel) -> Hyperparameters:
    tasks = TaskCorrelation(2, SETTINGS)
    return Hyperparameters(Modules(kernel, default_likelihood(), tasks).double())


@pytest.mark.parametrize("make", KERNELS.values(), ids=KERNELS)
def test_the_prior_is_that_of_the_modules(make: object) -> None:
    found = search(make())  # type: ignore[operator]
    differences = []
    for at in (found.start, found.start + 0.2, found.start - 0.3):
        modules, expected = found.assign(at), torch.zeros(()).double()
        for _, owner, prior, get, _ in modules.named_priors():
            values = get(owner).detach()
            expected = expected + prior.log_prob(values).sum()
            if isinstance(prior, LogNormalPrior):  # taken as the normal one of the logarithm
                expected = expected + values.log().sum()
        value, slope = found.log_prior(at)
        differences.append(value - expected)
        steps = 1e-5 * torch.eye(len(at)).double()
        by_steps = []
        for step in steps:
            ends = []
            for end in (at + step, at - step):
                found.assign(end)
                ends.append(found.log_prior(end)[0])
            by_steps.append((ends[0] - ends[1]) / 2e-5)
        torch.testing.assert_close(slope, torch.stack(by_steps), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(differences[1:], 2 * differences[:1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("make", KERNELS.values(), ids=KERNELS)
def test_values_come_back_as_coordinates(make: object) -> None:
    found = search(make())  # type: ignore[operator]
    before = [parameter.clone() for parameter in found.modules.parameters()]
    found.assign(found.start)
    for parameter, value in zip(found.modules.parameters(), before, strict=True):
        assert torch.equal(parameter, value)  # to the last digit
    moved = found.assign(found.start + 0.1).parameters()
    assert not any(torch.equal(*pair) for pair in zip(moved, before, strict=True))
    low, high = found.limits
    assert ((low < found.start) & (found.start < high)).all()


def test_what_requires_no_gradient_is_no_coordinate() -> None:
    kernel = default_kernel(2)
    kernel.raw_fineness.requires_grad_(False)
    found = search(kernel)
    assert len(found.start) == 2 + 1 + 1 + 3
    fixed = Modules(kernel, default_likelihood()).requires_grad_(False)
    assert Hyperparameters(fixed.double()).start.shape == (0,)


@pytest.mark.parametrize(
    ("constraint", "bounds"),
    [
        (Interval(0.2, 0.4, transform=None, initial_value=0.3), (0.2, 0.4)),
        (Interval(0.2, 0.4), (0.2, 0.4)),
        (GreaterThan(0.1), (0.1, math.inf)),
    ],
    ids=["of the value itself", "through a sigmoid", "through a softplus"],
)
@pytest.mark.parametrize("prior", [LogNormalPrior(0.0, 1.0), None])
def test_limits_are_those_of_the_constraints(
    constraint: Interval, bounds: tuple[float, float], prior: LogNormalPrior | None
) -> None:
    kernel = MaternKernel(lengthscale_constraint=constraint, lengthscale_prior=prior)
    found = Hyperparameters(Modules(kernel, GaussianLikelihood()).double())
    low, high = (found.assign(end).kernel.lengthscale.item() for end in found.limits)
    assert bounds[0] * (1 - 1e-6) <= low < bounds[0] * 1.001
    assert high == pytest.approx(min(bounds[1], 1e4), rel=1e-3)
    assert high <= bounds[1] * (1 + 1e-6)


def test_in_another_precision_a_copy_is_searched() -> None:
    modules = Modules(default_kernel(2), default_likelihood())
    before = modules.kernel.lengthscale.clone()
    found = Hyperparameters(modules)
    assert found.assign(found.start + 0.5).noise.dtype == torch.float64
    assert torch.equal(modules.kernel.lengthscale, before)


@pytest.mark.parametrize("dim", [1, 4])
def test_default_lengthscales_grow_with_distances(dim: int) -> None:
    kernel = default_kernel(dim)
    expected = torch.full((1, dim), 0.7 * math.sqrt(dim))
    torch.testing.assert_close(kernel.lengthscale.detach(), expected)
    torch.testing.assert_close(default_kernel(dim, scale=0.5).lengthscale.detach(), 0.5 * expected)


def test_noise_of_ranks_and_judges_has_other_priors() -> None:
    noise = torch.tensor(1e-3).double()
    likelihoods = default_likelihood(), default_likelihood(True), rank_likelihood(noise, SETTINGS)
    locations = [float(each.noise_covar.noise_prior.loc) for each in likelihoods]
    assert locations == [-6.0, -3.0, -4.0]
    assert likelihoods[2].noise.item() == pytest.approx(1e-3)
    other = default_likelihood(settings=ModelSettings(noise=(-5.0, 1.0)))
    assert float(other.noise_covar.noise_prior.loc) == -5.0
