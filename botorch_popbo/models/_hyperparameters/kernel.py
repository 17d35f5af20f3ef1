"""The hyperparameters of any kernel, as its raw parameters, and of the noise."""

from copy import deepcopy

import torch
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import LogNormalPrior
from torch import Tensor

from botorch_popbo.models._hyperparameters.base import (
    Hyperparameters,
    limits_of,
    log_limits_of,
)
from botorch_popbo.models._hyperparameters.covariance import KernelCovariance, assign

# Softplus, the logistic function and the exponential are still above their bounds there.
_RAW_LIMITS = (-30.0, 1e4)


class KernelHyperparameters(Hyperparameters):
    """The raw parameters of any kernel, and the logarithm of the noise variance.

    What requires no gradient stays as it is.

    Args:
        kernel: The kernel.
        likelihood: The noise.
    """

    def __init__(self, kernel: Kernel, likelihood: GaussianLikelihood) -> None:
        self._originals = (kernel, likelihood)
        self._kernel, self._likelihood = deepcopy(kernel).double(), deepcopy(likelihood).double()
        self.loc = self.current()
        self.scale = torch.ones_like(self.loc)
        self.limits = torch.cat([*_raw_limits(self._kernel), self._noise_limits()])
        for module in (self._kernel, self._likelihood):
            module.requires_grad_(True)  # of what stays the limits are equal

    def current(self) -> Tensor:
        """See the base class."""
        kernel, likelihood = self._originals
        values = [parameter.detach().double().reshape(-1) for parameter in kernel.parameters()]
        return torch.cat([*values, likelihood.noise.detach().double().log().reshape(1)])

    def assign(self, theta: Tensor) -> None:
        """See the base class."""
        kernel, likelihood = self._originals
        assign(list(kernel.parameters()), theta[:-1])
        if likelihood.raw_noise.requires_grad:
            likelihood.noise = theta[-1].exp()

    def noise(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        return theta[-1].exp(), theta[-1].exp()

    def log_prior(self, standardized: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        theta = self.restore(standardized)
        assign(list(self._kernel.parameters()), theta[:-1])
        self._likelihood.noise = theta[-1].exp()
        parameters = [*self._kernel.parameters(), self._likelihood.raw_noise]
        with torch.enable_grad():
            log_noise = self._likelihood.noise.log().sum()
            value = sum(
                (p.sum() * 0.0 for p in parameters), start=torch.zeros_like(standardized[0])
            )
            for module in (self._kernel, self._likelihood):
                for _, owner, prior, closure, _ in module.named_priors():
                    values = closure(owner)
                    value = value + prior.log_prob(values).sum()
                    if isinstance(prior, LogNormalPrior):  # as in the closed form, of the logarithm
                        value = value + values.log().sum()
        *by_kernel, by_raw = torch.autograd.grad(value, parameters)
        [slope] = torch.autograd.grad(log_noise, parameters[-1:])
        gradients = [gradient.reshape(-1) for gradient in (*by_kernel, by_raw / slope)]
        return value.detach(), torch.cat(gradients)

    def covariance_function(self, X: Tensor, source: Tensor | None = None) -> KernelCovariance:
        """See the base class."""
        return KernelCovariance(self._kernel, X)

    def kernel(self, theta: Tensor) -> Kernel:
        """See the base class."""
        kernel = deepcopy(self._kernel)
        assign(list(kernel.parameters()), theta[:-1])
        return kernel.requires_grad_(False)

    def _noise_limits(self) -> Tensor:
        """Bounds of the noise's logarithm, ``1 x 2``."""
        noise = self._likelihood.noise_covar
        if not noise.raw_noise.requires_grad:
            return self.loc[-1:].expand(1, 2)
        return log_limits_of(noise.raw_noise_constraint).to(self.loc).clamp(*_RAW_LIMITS)


def _raw_limits(module: Kernel) -> list[Tensor]:
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
