"""The hyperparameters of any kernel, as its raw parameters."""

from copy import deepcopy

import torch
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import LogNormalPrior
from torch import Tensor

from botorch_popbo.models._hyperparameters.base import Hyperparameters, limits_of
from botorch_popbo.models._hyperparameters.covariance import KernelCovariance, assign

# Softplus and the logistic function are still above their bounds there.
_RAW_LIMITS = (-30.0, 1e4)


class KernelHyperparameters(Hyperparameters):
    """The raw parameters of any kernel and likelihood; those without gradients stay as they are.

    Args:
        kernel: The kernel.
        likelihood: The noise.
    """

    def __init__(self, kernel: Kernel, likelihood: GaussianLikelihood) -> None:
        self._originals = (kernel, likelihood)
        self._kernel, self._likelihood = deepcopy(kernel).double(), deepcopy(likelihood).double()
        self.loc = self.current()
        self.scale = torch.ones_like(self.loc)
        modules = (self._kernel, self._likelihood)
        self.limits = torch.cat([row for module in modules for row in _raw_limits(module)])
        for module in modules:
            module.requires_grad_(True)  # of what stays the limits are equal

    def current(self) -> Tensor:
        """See the base class."""
        values = [p.detach().double().reshape(-1) for m in self._originals for p in m.parameters()]
        return torch.cat(values)

    def assign(self, theta: Tensor) -> None:
        """See the base class."""
        assign([p for module in self._originals for p in module.parameters()], theta)

    def noise(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        assign(list(self._likelihood.parameters()), theta[-1:])
        with torch.enable_grad():
            noise = self._likelihood.noise.squeeze()
        [slope] = torch.autograd.grad(noise, list(self._likelihood.parameters()))
        return noise.detach(), slope.squeeze()

    def log_prior(self, standardized: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        parameters = [*self._kernel.parameters(), *self._likelihood.parameters()]
        assign(parameters, self.restore(standardized))
        with torch.enable_grad():
            value = sum(
                (p.sum() * 0.0 for p in parameters), start=torch.zeros_like(standardized[0])
            )
            for module in (self._kernel, self._likelihood):
                for _, owner, prior, closure, _ in module.named_priors():
                    values = closure(owner)
                    value = value + prior.log_prob(values).sum()
                    if isinstance(prior, LogNormalPrior):  # as in the closed form, of the logarithm
                        value = value + values.log().sum()
        gradients = torch.autograd.grad(value, parameters)
        return value.detach(), torch.cat([gradient.reshape(-1) for gradient in gradients])

    def covariance_function(self, X: Tensor, source: Tensor | None = None) -> KernelCovariance:
        """See the base class."""
        return KernelCovariance(self._kernel, X)

    def kernel(self, theta: Tensor) -> Kernel:
        """See the base class."""
        kernel = deepcopy(self._kernel)
        assign(list(kernel.parameters()), theta[:-1])
        return kernel.requires_grad_(False)


def _raw_limits(module: Kernel | GaussianLikelihood) -> list[Tensor]:
    """Bounds of the raw parameters, each ``n x 2``: of a constraint without a transform its own.

    With one the values are bounded, but the last digits round them to the bound itself, where the
    covariance of two points may be no number.
    """
    rows = []
    for _, parameter, constraint in module.named_parameters_and_constraints():
        bounds = parameter.detach().new_tensor([[-torch.inf, torch.inf]])
        if not parameter.requires_grad:
            bounds = parameter.detach().reshape(-1, 1)
        elif constraint is not None:
            bounds = bounds.clamp(*_RAW_LIMITS) if constraint.enforced else limits_of(constraint)
        rows.append(bounds.to(parameter).expand(parameter.numel(), 2))
    return rows
