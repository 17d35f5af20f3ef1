import pytest
import torch
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from helpers.gaussian import covariance, kernel, unit_points
from torch import Tensor

from botorch_popbo.models._hyperparameters.covariance import (
    JITTER,
    CovarianceFunction,
    KernelCovariance,
    MaternCovariance,
    assign,
)

X = unit_points(7, 3)
LENGTHSCALE = torch.tensor([0.3, 1.0, 4.0], dtype=torch.float64)
NOISES = [torch.tensor(0.01).double(), torch.linspace(0.1, 0.7, 7).double()]


def both_paths() -> list[tuple[CovarianceFunction, Tensor]]:
    """The closed form and the generic path with the same lengthscales."""
    generic = kernel(LENGTHSCALE)
    raw = generic.raw_lengthscale.detach().reshape(-1)
    return [(MaternCovariance(X), LENGTHSCALE.log()), (KernelCovariance(generic, X), raw)]


@pytest.mark.parametrize("path", [0, 1], ids=["closed_form", "generic"])
@pytest.mark.parametrize("noise", NOISES)
def test_it_is_gpytorchs_kernel_with_noise(noise: Tensor, path: int) -> None:
    function, theta = both_paths()[path]
    found = function.covariance(theta, noise).matrix
    expected = covariance(X, LENGTHSCALE, noise + JITTER)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=0)


def test_derivatives_reach_the_lengthscales() -> None:
    generator = torch.Generator().manual_seed(1)
    slope = torch.randn(7, 7, generator=generator, dtype=torch.float64)
    slope = slope + slope.T
    (closed, _), (generic, by_raw) = (
        (f.gradient(slope, f.covariance(theta, NOISES[0]), theta), theta)
        for f, theta in both_paths()
    )
    raw = by_raw.clone().requires_grad_()
    lengthscale = MaternKernel().raw_lengthscale_constraint.transform(raw)
    (chain,) = torch.autograd.grad(lengthscale.log().sum(), raw)
    torch.testing.assert_close(closed, generic / chain, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "prior",
    [ScaleKernel(RBFKernel(ard_num_dims=3)), RBFKernel(active_dims=(0,)) * MaternKernel(nu=1.5)],
)
def test_any_kernel_has_derivatives_by_its_raw_parameters(prior: Kernel) -> None:
    prior = prior.double()
    function = KernelCovariance(prior, X)
    theta = torch.linspace(-0.5, 0.5, sum(p.numel() for p in prior.parameters())).double()
    slope = torch.eye(7).double() + 1.0
    first = function.covariance(theta, NOISES[0])
    found = function.gradient(slope, first, theta)
    for i, step in enumerate(1e-5 * torch.eye(len(theta)).double()):
        up, down = (
            (function.covariance(theta + s, NOISES[0]).matrix * slope).sum() for s in (step, -step)
        )
        assert found[i].item() == pytest.approx(((up - down) / 2e-5).item(), abs=1e-6)


def test_replicates_and_a_single_record_are_no_problem() -> None:
    theta = LENGTHSCALE.log()
    twice = MaternCovariance(X[[0, 0, 1]]).covariance(theta, torch.tensor(0.0).double())
    assert torch.linalg.cholesky(twice.matrix).isfinite().all()  # by the jitter
    one = MaternCovariance(X[:1]).covariance(theta, torch.tensor(0.5).double())
    assert one.matrix.item() == pytest.approx(1.5 + JITTER)


def test_values_are_assigned_one_after_another() -> None:
    prior = ScaleKernel(RBFKernel(ard_num_dims=3))
    assign(list(prior.parameters()), torch.arange(4.0))
    assert torch.cat([p.detach().reshape(-1) for p in prior.parameters()]).tolist() == [0, 1, 2, 3]
