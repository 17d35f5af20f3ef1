import torch
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
    positive = torch.nn.functional.softplus(search.restore(at))
    expected = GammaPrior(2.0, 0.5).log_prob(positive[0])
    expected = expected + GammaPrior(3.0, 6.0).log_prob(positive[1:3]).sum()
    # A log-normal prior is the normal one of the logarithm.
    noise = positive[3] + 1e-4
    expected = expected + LogNormalPrior(-4.0, 1.0).log_prob(noise) + noise.log()
    torch.testing.assert_close(value, expected, rtol=1e-6, atol=1e-6)
    steps = 1e-5 * torch.eye(4).double()
    by_steps = [(search.log_prior(at + s)[0] - search.log_prior(at - s)[0]) / 2e-5 for s in steps]
    torch.testing.assert_close(slope, torch.stack(by_steps), rtol=1e-5, atol=1e-6)
    without = KernelHyperparameters(RBFKernel().double(), GaussianLikelihood().double())
    value, slope = without.log_prior(torch.zeros(2).double())
    assert value == 0.0
    assert slope.tolist() == [0.0, 0.0]
