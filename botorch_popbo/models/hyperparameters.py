"""What is fitted: the parameters of kernel, noise and correlations, as one vector."""

from copy import deepcopy
from typing import Self

import torch
from botorch.models.transforms.input import InputTransform
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import Likelihood
from gpytorch.means import Mean, ZeroMean
from gpytorch.module import Module
from gpytorch.priors import LogNormalPrior, NormalPrior, Prior
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models.kernels import dense
from botorch_popbo.models.priors import TaskCorrelation, Warp, noise_of


class Modules(Module):
    """What has hyperparameters.

    Args:
        kernel: The prior's kernel.
        likelihood: The noise.
        tasks: Correlations of a target and its sources, if there are any.
        warp: How distances of utilities follow from those of outcomes, if these count.
        trend: The prior's mean, by default zero.
        inputs: What encodes points, if it is learned; by default they are encoded already.
    """

    def __init__(
        self,
        kernel: Kernel,
        likelihood: Likelihood,
        tasks: TaskCorrelation | None = None,
        warp: Warp | None = None,
        trend: Mean | None = None,
        inputs: InputTransform | None = None,
    ) -> None:
        super().__init__()
        self.trend, self.inputs = trend or ZeroMean(), inputs
        self.kernel, self.tasks, self.likelihood, self.warp = kernel, tasks, likelihood, warp

    @property
    def noise(self) -> Tensor:
        """The noise variance, a scalar tensor."""
        return noise_of(self.likelihood).clone()  # other values are set in place

    @property
    def correlation(self) -> Tensor:
        """Correlations of the tasks' utilities, the target's first."""
        return self.noise.new_ones(1, 1) if self.tasks is None else self.tasks.matrix

    def encode(self, X: Tensor) -> Tensor:
        """Points as the kernel sees them: in training mode a transform would learn its bounds."""
        return X if self.inputs is None else self.inputs.eval()(X)

    def covariance(self, X: Tensor, source: Tensor) -> Tensor:
        """Prior covariance of records without noise.

        Args:
            X: Encoded records, ``N x d``.
            source: Which source each record is from, and 0 for the target; of shape ``N``.

        Returns:
            An ``N x N`` tensor.
        """
        covariance = dense(self.kernel, X)
        if self.tasks is not None:
            covariance = covariance * self.tasks.matrix[source][:, source]
        return covariance

    def copy(self) -> Self:
        """The same with parameters of its own; priors and constraints never change."""
        shared = [prior for _, _, prior, _, _ in self.named_priors()] + [*self.constraints()]
        return deepcopy(self, {id(each): each for each in shared})


class Hyperparameters:
    """All parameters that require a gradient, in coordinates whose unit is their uncertainty.

    A log-normal prior of a positive parameter, or a normal one of any other, is standard normal in
    the coordinates, unless a transform keeps the parameter within its bounds. Any other parameter,
    or its logarithm where it is positive, is a coordinate itself.

    Args:
        modules: What has hyperparameters. It is set to what is asked for; in another precision than
            double, a copy is.

    Attributes:
        modules: The same, or the copy.
        start: Coordinates of its first values, or of those at :meth:`start_here`; of shape ``p``.
        limits: Least and largest coordinates, ``2 x p``.
    """

    def __init__(self, modules: Modules) -> None:
        if any(parameter.dtype != torch.double for parameter in modules.parameters()):
            modules = deepcopy(modules).double()
        self.modules = modules
        priors = {name: law for name, *law, _ in modules.named_priors()}
        self._parameters: list[Parameter] = []
        parts: list[Tensor] = []
        for name, parameter, constraint in modules.named_parameters_and_constraints():
            if parameter.requires_grad:
                prior_name = f"{name.replace('raw_', '')}_prior"  # as GPyTorch's modules call it
                _, prior, _ = priors.get(prior_name, (None, None, None))
                parts.append(_coordinates(parameter, constraint, prior))
                self._parameters.append(parameter)
                if bool(parts[-1][3].any()):
                    del priors[prior_name]
        none = [modules.noise.detach().new_zeros(6, 0)]  # every parameter may be one that stays
        # What is left is normal in no coordinate, and has to be evaluated.
        self._other_priors = [*priors.values()]
        self._loc, self._scale, is_log, self._has_prior, *bounds = torch.cat(parts or none, dim=-1)
        self._is_log = is_log.bool()
        self.limits = self._coordinates_of(torch.stack(bounds))
        self.start_here()

    def start_here(self) -> None:
        """Let :attr:`start` be the current values of the modules, which were set from outside."""
        raw = [parameter.detach().reshape(-1) for parameter in self._parameters]
        self._raw = torch.cat([self._loc[:0], *raw])
        self.start = self._current = self._coordinates_of(self._raw)

    def _coordinates_of(self, raw: Tensor) -> Tensor:
        return (torch.where(self._is_log, raw.log(), raw) - self._loc) / self._scale

    def assign(self, coordinates: Tensor) -> Modules:
        """Set the modules.

        Args:
            coordinates: The hyperparameters, of shape ``p``.

        Returns:
            The modules.
        """
        if coordinates is self._current:  # else the first values would change by their last digits
            return self.modules
        linear = self._loc + self._scale * coordinates
        self._raw = torch.where(self._is_log, linear.exp(), linear)
        pieces = self._raw.split([parameter.numel() for parameter in self._parameters])
        with torch.no_grad():
            for parameter, piece in zip(self._parameters, pieces, strict=True):
                parameter.copy_(piece.view_as(parameter))
        self._current = coordinates
        return self.modules

    def gradient(self, value: Tensor) -> Tensor:
        """Derivative by the coordinates of a scalar that the modules gave since they were set.

        Returns:
            A tensor of shape ``p``.
        """
        # Modules whose parameters all stay as they are have no graph.
        if not value.requires_grad:
            return torch.zeros_like(self.start)
        by_raw = torch.autograd.grad(value, self._parameters, materialize_grads=True)
        flat = torch.cat([slope.reshape(-1) for slope in by_raw])
        return flat * self._scale * torch.where(self._is_log, self._raw, 1.0)

    def log_prior(self, coordinates: Tensor) -> tuple[Tensor, Tensor]:
        """The prior's log-density up to a constant, and its gradient.

        Args:
            coordinates: What the modules are set to, of shape ``p``.

        Returns:
            A scalar tensor and one of shape ``p``.
        """
        normal = coordinates * self._has_prior
        value, gradient = -0.5 * normal @ normal, -normal
        for owner, prior, get in self._other_priors:
            with torch.enable_grad():
                density = log_density(prior, get(owner))
            value = value + density.detach()
            gradient = gradient + self.gradient(density)
        return value, gradient


def log_density(prior: Prior, values: Tensor) -> Tensor:
    """The logarithm of a prior's density, a scalar; a log-normal one is that of the logarithm."""
    density: Tensor = prior.log_prob(values).sum()
    return density + values.log().sum() if isinstance(prior, LogNormalPrior) else density


def _coordinates(parameter: Parameter, constraint: Interval | None, prior: Prior | None) -> Tensor:
    """Choose coordinates of a parameter's ``n`` entries.

    Args:
        parameter: The parameter.
        constraint: Its constraint, if it has one.
        prior: Its prior, if it has one.

    Returns:
        Origin and unit of the coordinates; whether the logarithm is linear in them; whether the
        prior is standard normal; least and largest values; all together ``6 x n``.
    """
    raw = parameter.detach().reshape(-1)
    low, high, has_transform = -torch.inf, torch.inf, False
    if constraint is not None:
        has_transform = constraint.enforced
        # What a transform bounds is searched as far as softplus, the logistic function and the
        # exponential are inside of their own bounds, to which they round further out.
        low, high = (-30.0, 1e4) if has_transform else (float(bound) for bound in constraint)
    # In the logarithm of what is positive a step is as large at every scale.
    is_log = low >= 0.0
    loc, scale, has_prior = raw.log() if is_log else raw, torch.ones_like(raw), False
    is_normal = isinstance(prior, LogNormalPrior if is_log else NormalPrior)
    if prior is not None and is_normal and not has_transform:
        # A prior of any other shape does not say which entry it is of.
        has_prior = prior.loc.numel() in (1, len(raw))
        loc, scale = (prior.loc, prior.scale) if has_prior else (loc, scale)
    rows = (loc, scale, is_log, has_prior, low, high)
    entries = (torch.as_tensor(row).detach().to(raw).reshape(-1).expand_as(raw) for row in rows)
    return torch.stack([*entries])
