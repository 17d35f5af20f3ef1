"""What is fitted: the hyperparameters of a kernel and the noise variance, as one vector."""

import math
from abc import ABC, abstractmethod
from copy import deepcopy

import torch
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel, MaternKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import LogNormalPrior
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models._covariance import (
    CovarianceFunction,
    KernelCovariance,
    MaternCovariance,
    assign,
)
from botorch_popbo.models.kernels import RoughMaternKernel, profile_of

# Softplus and the logistic function are still above their bounds there.
_RAW_LIMITS = (-30.0, 1e4)


class Hyperparameters(ABC):
    """Hyperparameters of a kernel, then one that stands for the noise, in double precision.

    The search takes place in coordinates in which a unit step is as large as the uncertainty.

    Attributes:
        loc: Origin of the coordinates, of shape ``p + 1``.
        scale: Unit of the coordinates, of the same shape.
        limits: Least and largest values, ``(p + 1) x 2``.
    """

    loc: Tensor
    scale: Tensor
    limits: Tensor

    def standardize(self, theta: Tensor) -> Tensor:
        """Hyperparameters in the coordinates of the search."""
        return (theta - self.loc) / self.scale

    def restore(self, standardized: Tensor) -> Tensor:
        """The inverse of :meth:`standardize`."""
        return self.loc + self.scale * standardized

    @abstractmethod
    def current(self) -> Tensor:
        """The values that kernel and likelihood have now, of shape ``p + 1``."""

    @abstractmethod
    def assign(self, theta: Tensor) -> None:
        """Give kernel and likelihood other values.

        Args:
            theta: The values, of shape ``p + 1``.
        """

    @abstractmethod
    def noise(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """The noise variance and its derivative with respect to the last hyperparameter.

        Args:
            theta: The values, of shape ``p + 1``.

        Returns:
            Two scalar tensors.
        """

    @abstractmethod
    def log_prior(self, standardized: Tensor) -> tuple[Tensor, Tensor]:
        """The prior's log-density up to a constant and its gradient.

        Args:
            standardized: Coordinates, of shape ``p + 1``.

        Returns:
            A scalar tensor and one of shape ``p + 1``.
        """

    @abstractmethod
    def covariance_function(self, X: Tensor, source: Tensor | None = None) -> CovarianceFunction:
        """The covariance of records.

        Args:
            X: Encoded records, ``N x d``, in double precision.
            source: Which source each record is from, and 0 for the target; of shape ``N``. By
                default all are of the target.

        Returns:
            The covariance as a function of the hyperparameters.
        """

    def loading(self, theta: Tensor, source: Tensor) -> Tensor:
        """How much of each record's utility is that of the target: its correlation.

        Args:
            theta: The values, of shape ``p + 1``.
            source: Which source each record is from, and 0 for the target; of shape ``N``.

        Returns:
            A tensor of shape ``N``, one without sources.
        """
        return torch.ones_like(source, dtype=theta.dtype)

    @abstractmethod
    def kernel(self, theta: Tensor) -> Kernel:
        """The target's kernel, a copy with the given values and without gradients.

        Args:
            theta: The values, of shape ``p + 1``.

        Returns:
            The kernel, in double precision.
        """


def make_hyperparameters(
    kernel: Kernel, likelihood: GaussianLikelihood, dim: int
) -> Hyperparameters:
    """Choose the closed form where there is one.

    Args:
        kernel: The kernel.
        likelihood: The noise.
        dim: Number of columns of an encoded point.

    Returns:
        The hyperparameters.
    """
    if is_closed_form(kernel, likelihood, dim):
        return MaternHyperparameters(kernel, likelihood)
    return KernelHyperparameters(kernel, likelihood)


def is_closed_form(kernel: Kernel, likelihood: GaussianLikelihood, dim: int) -> bool:
    """Whether a kernel is Matérn 5/2 with a free lengthscale a column and log-normal priors.

    Args:
        kernel: The kernel.
        likelihood: The noise.
        dim: Number of columns of an encoded point.

    Returns:
        Whether :class:`MaternHyperparameters` apply.
    """
    return (
        profile_of(kernel) is not None
        and kernel.ard_num_dims == dim
        and all(p.requires_grad for p in (*kernel.parameters(), *likelihood.parameters()))
        and isinstance(getattr(kernel, "lengthscale_prior", None), LogNormalPrior)
        and isinstance(getattr(likelihood.noise_covar, "noise_prior", None), LogNormalPrior)
    )


class MaternHyperparameters(Hyperparameters):
    """Logarithms of lengthscales and noise variance, and what is normal of a rough part.

    Args:
        kernel: A kernel that :func:`is_closed_form` accepts.
        likelihood: The noise.
    """

    def __init__(self, kernel: MaternKernel, likelihood: GaussianLikelihood) -> None:
        self._kernel, self._likelihood = kernel, likelihood
        self._dim = dim = kernel.ard_num_dims
        noise = likelihood.noise_covar
        limits = dim * [_log_limits(kernel.raw_lengthscale_constraint)]
        priors = dim * [kernel.lengthscale_prior]
        self._rough: list[Parameter] = []
        if isinstance(kernel, RoughMaternKernel):
            self._rough = [kernel.raw_roughness, kernel.raw_fineness]
            priors += [kernel.roughness_prior, kernel.fineness_prior]
            constraints = (kernel.raw_roughness_constraint, kernel.raw_fineness_constraint)
            limits += [_limits(constraint) for constraint in constraints]
        priors.append(noise.noise_prior)
        limits.append(_log_limits(noise.raw_noise_constraint))
        self.loc = torch.cat([_single(prior.loc) for prior in priors])
        self.scale = torch.cat([_single(prior.scale) for prior in priors])
        self.limits = torch.cat(limits)

    def current(self) -> Tensor:
        """See the base class."""
        logs = torch.cat([self._kernel.lengthscale.reshape(-1), self._likelihood.noise.reshape(1)])
        logs = logs.detach().double().log()
        rough = [value.detach().double() for value in self._rough]
        return torch.cat([logs[:-1], *rough, logs[-1:]])

    def assign(self, theta: Tensor) -> None:
        """See the base class."""
        _assign_kernel(self._kernel, theta[:-1])
        self._likelihood.noise = theta[-1].exp()

    def noise(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        return theta[-1].exp(), theta[-1].exp()

    def log_prior(self, standardized: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        return -0.5 * standardized.square().sum(), -standardized

    def covariance_function(self, X: Tensor, source: Tensor | None = None) -> MaternCovariance:
        """See the base class."""
        return MaternCovariance(X, bool(self._rough))

    def kernel(self, theta: Tensor) -> MaternKernel:
        """See the base class."""
        kernel = MaternKernel(nu=2.5, ard_num_dims=self._dim)
        if self._rough:
            priors = (self._kernel.roughness_prior, self._kernel.fineness_prior)
            kernel = RoughMaternKernel(*deepcopy(priors), ard_num_dims=self._dim)
        _assign_kernel(kernel.to(theta), theta[:-1])
        return kernel.requires_grad_(False)


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
        self.limits = torch.cat([_raw_limits(module) for module in modules])
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
                    value = value + prior.log_prob(closure(owner)).sum()
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


def _assign_kernel(kernel: MaternKernel, theta: Tensor) -> None:
    dim = kernel.ard_num_dims
    kernel.lengthscale = theta[:dim].exp()
    if isinstance(kernel, RoughMaternKernel):
        assign([kernel.raw_roughness, kernel.raw_fineness], theta[dim:])


def _single(value: Tensor) -> Tensor:
    return value.detach().double().reshape(1)


def _limits(constraint: Interval) -> Tensor:
    """Bounds as a row."""
    return torch.stack([constraint.lower_bound, constraint.upper_bound]).double().reshape(1, 2)


def _log_limits(constraint: Interval) -> Tensor:
    bounds = (float(constraint.lower_bound), float(constraint.upper_bound))
    logs = [math.log(bound) if bound > 0.0 else -math.inf for bound in bounds]
    return torch.tensor([logs], dtype=torch.double, device=constraint.lower_bound.device)


def _raw_limits(module: Kernel | GaussianLikelihood) -> Tensor:
    """Bounds of the raw parameters: of a constraint without a transform its own.

    With one the values are bounded, but the last digits round them to the bound itself, where the
    covariance of two points may be no number.
    """
    rows = []
    for _, parameter, constraint in module.named_parameters_and_constraints():
        bounds = parameter.detach().new_tensor([[-torch.inf, torch.inf]])
        if not parameter.requires_grad:
            bounds = parameter.detach().reshape(-1, 1)
        elif constraint is not None:
            bounds = bounds.clamp(*_RAW_LIMITS) if constraint.enforced else _limits(constraint)
        rows.append(bounds.to(parameter).expand(parameter.numel(), 2))
    return torch.cat(rows)
