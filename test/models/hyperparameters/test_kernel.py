import pytest
import torch
from gpytorch.constraints import Interval, Positive
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import GammaPrior, LogNormalPrior

from botorch_popbo.models._hyperparameters.kernel import KernelHyperparameters


def test_the_prior_of_any_module_counts() -> None:
    kernel = ScaleKernel(
        RBFKernel(ard_num_dims=2, lengthscale_prior=GammaPrior(3.0, 6.0)),
        outputscale_prior=GammaPrior(2.0, 0.5),
    )
    likelihood = GaussianLikelihood(noise_prior=LogNormalPrior(-4.0, 1.0))
    search = KernelHyperparameters(kernel.double(), likelihood.double())
    at = torch.tensor([0.3, -0.2, 0.1, 0.2], dtype=torch.float64)
    value, slope = search.log_prior(at)
    theta = search.restore(at)
    positive = torch.nn.functional.softplus(theta[:-1])
    expected = GammaPrior(2.0, 0.5).log_prob(positive[0])
    expected = expected + GammaPrior(3.0, 6.0).log_prob(positive[1:3]).sum()
    # A log-normal prior is the normal one of the logarithm.
    expected = expected + LogNormalPrior(-4.0, 1.0).log_prob(theta[-1].exp()) + theta[-1]
    torch.testing.assert_close(value, expected, rtol=1e-6, atol=1e-6)
    steps = 1e-5 * torch.eye(4).double()
    by_steps = [(search.log_prior(at + s)[0] - search.log_prior(at - s)[0]) / 2e-5 for s in steps]
    torch.testing.assert_close(slope, torch.stack(by_steps), rtol=1e-5, atol=1e-6)
    without = KernelHyperparameters(RBFKernel().double(), GaussianLikelihood().double())
    value, slope = without.log_prior(torch.zeros(2).double())
    assert value == 0.0
    assert slope.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (Interval(1e-6, 0.03, transform=None, initial_value=0.01), (1e-6, 0.03)),
        (Interval(1e-6, 0.03, initial_value=0.01), (1.0001e-6, 0.029997)),
        (Positive(initial_value=0.01), (9.4e-14, None)),
    ],
)
def test_the_noise_is_searched_on_a_logarithmic_scale(
    constraint: Interval, expected: tuple[float, float | None]
) -> None:
    likelihood = GaussianLikelihood(noise_constraint=constraint).double()
    search = KernelHyperparameters(RBFKernel().double(), likelihood)
    theta = search.current()
    assert float(theta[-1].exp()) == pytest.approx(0.01)
    low, high = search.limits[-1].exp().tolist()
    assert low == pytest.approx(expected[0], rel=1e-2)
    if expected[1] is not None:
        assert high == pytest.approx(expected[1], rel=1e-6)
    theta[-1] -= 1.0
    value, slope = search.noise(theta)
    assert value == slope == theta[-1].exp()
    search.assign(theta)
    assert likelihood.noise.item() == pytest.approx(value.item())


def test_noise_that_requires_no_gradient_stays_as_it_is() -> None:
    likelihood = GaussianLikelihood().double().requires_grad_(False)
    before = likelihood.noise.clone()
    search = KernelHyperparameters(RBFKernel().double(), likelihood)
    assert search.limits[-1, 0] == search.limits[-1, 1] == search.current()[-1]
    search.assign(search.current() + 1.0)
    assert torch.equal(likelihood.noise, before)
