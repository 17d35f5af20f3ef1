"""The hyperparameters of the closed form, as logarithms."""

from copy import copy
from functools import partial
from typing import Self

import torch
from gpytorch.kernels import Kernel, MaternKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import LogNormalPrior, NormalPrior, Prior
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models._hyperparameters.base import (
    Hyperparameters,
    limits_of,
    log_limits_of,
)
from botorch_popbo.models._hyperparameters.covariance import MaternCovariance, assign
from botorch_popbo.models.kernels import RoughMaternKernel, profile_of


class MaternHyperparameters(Hyperparameters):
    """Logarithms of lengthscales and noise variance, and what is normal of a rough part.

    Args:
        kernel: A kernel that :func:`is_closed_form` accepts.
        likelihood: The noise.
    """

    def __init__(self, kernel: MaternKernel, likelihood: GaussianLikelihood) -> None:
        self._kernel, self._likelihood = kernel, likelihood
        self._dim = dim = kernel.ard_num_dims
        rotation = getattr(kernel, "rotation", None)
        self._rotation = None if rotation is None else rotation.double()
        noise = likelihood.noise_covar
        limits = dim * [log_limits_of(kernel.raw_lengthscale_constraint)]
        self._rough: list[Parameter] = []
        rough: list[Prior] = []
        if isinstance(kernel, RoughMaternKernel):
            self._rough = [kernel.raw_roughness, kernel.raw_fineness]
            rough = [kernel.roughness_prior, kernel.fineness_prior]
            constraints = (kernel.raw_roughness_constraint, kernel.raw_fineness_constraint)
            limits += [limits_of(constraint) for constraint in constraints]
        limits.append(log_limits_of(noise.raw_noise_constraint))
        others = [(prior, 1) for prior in (*rough, noise.noise_prior)]
        priors = [(kernel.lengthscale_prior, dim), *others]
        self.loc = torch.cat([_each(prior.loc, number) for prior, number in priors])
        self.scale = torch.cat([_each(prior.scale, number) for prior, number in priors])
        self.limits = torch.cat(limits)

    def current(self) -> Tensor:
        """See the base class."""
        logs = torch.cat([self._kernel.lengthscale.reshape(-1), self._likelihood.noise.reshape(1)])
        logs = logs.detach().double().log()
        rough = [value.detach().double() for value in self._rough]
        return torch.cat([logs[:-1], *rough, logs[-1:]])

    def assign(self, theta: Tensor) -> None:
        """See the base class."""
        self._assign_kernel(self._kernel, theta[:-1])
        self._likelihood.noise = theta[-1].exp()

    def noise(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        noise = theta[-1].exp()
        return noise, noise

    def log_prior(self, standardized: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        return -0.5 * standardized.square().sum(), -standardized

    def covariance_function(self, X: Tensor, source: Tensor | None = None) -> MaternCovariance:
        """See the base class."""
        points = X if self._rotation is None else X @ self._rotation
        return MaternCovariance(points, bool(self._rough))

    def kernel(self, theta: Tensor) -> MaternKernel:
        """See the base class."""
        kind = RoughMaternKernel if self._rough else partial(MaternKernel, nu=2.5)
        kernel = kind(ard_num_dims=self._dim).to(theta)
        self._assign_kernel(kernel, theta[:-1])
        return kernel.requires_grad_(False)

    @property
    def rotation(self) -> Tensor | None:
        """See the base class."""
        return self._rotation

    def rotated(self, axes: Tensor) -> Self:
        """See the base class."""
        if self._rotation is None:
            return super().rotated(axes)
        other = copy(self)
        other._rotation = self._rotation @ axes
        return other

    def _assign_kernel(self, kernel: MaternKernel, theta: Tensor) -> None:
        kernel.lengthscale = theta[: self._dim].exp()
        if isinstance(kernel, RoughMaternKernel):
            assign([kernel.raw_roughness, kernel.raw_fineness], theta[self._dim :])
            directions = self._rotation
            kernel.rotation = None if directions is None else directions.to(kernel.lengthscale)


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
        and (type(kernel) is MaternKernel or _has_rough_priors(kernel))
        and kernel.lengthscale_prior.loc.numel() in (1, dim)
        and isinstance(getattr(likelihood.noise_covar, "noise_prior", None), LogNormalPrior)
    )


def _has_rough_priors(kernel: Kernel) -> bool:
    priors = (getattr(kernel, name, None) for name in ("roughness_prior", "fineness_prior"))
    return all(isinstance(prior, NormalPrior) for prior in priors)


def _each(value: Tensor, number: int) -> Tensor:
    return value.detach().double().reshape(-1).expand(number)
