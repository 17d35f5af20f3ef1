import pytest
import torch
from gpytorch.kernels import Kernel, RBFKernel, ScaleKernel
from gpytorch.priors import GammaPrior, LogNormalPrior

from botorch_popbo.models._fit.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models._fit.priors import TaskCorrelation, default_kernel, default_likelihood
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
    return Hyperparameters(Modules(kernel, default_likelihood(SETTINGS), tasks).double())


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
