"""A kernel for functions that are smooth from afar and rough from nearby."""

from typing import Any

import torch
from botorch.exceptions import UnsupportedError
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel, MaternKernel
from gpytorch.priors import NormalPrior
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models._matern import Profile, matern_value

# Of the logit of the roughness and of the logarithm of the fineness.
_ROUGHNESS_LIMITS = (-9.0, 3.0)
_FINENESS_LIMITS = (-4.0, 0.0)


class RoughMaternKernel(MaternKernel):
    r"""Matérn 5/2 on two scales.

    .. math::

        k(x, x') = (1 - s)\, m(r) + s\, m(r / c),

    where :math:`m` is Matérn 5/2, :math:`r` the distance in lengthscales, :math:`s` the roughness
    and :math:`c < 1` the fineness. A rugged function has a trend and, about it, a part of its own
    that is the same whenever the same point is evaluated. With one scale that part is either taken
    for noise, which never is worth following, or makes the trend invisible. What is noise and what
    is rough is told apart by points that are close to each other.

    With several lengthscales points are rotated first: ``rotation`` holds the direction of each in
    a column, at first that of a column of the points. A fit may set it; if it is None, no fit does.

    Args:
        roughness_prior: Prior of the logit of :math:`s`, which starts at its mean, or at 0.
        fineness_prior: Prior of the logarithm of :math:`c`, which starts likewise.
        **kwargs: See :class:`gpytorch.kernels.MaternKernel`; ``nu`` is 5/2.

    Raises:
        UnsupportedError: If ``batch_shape`` is not empty.
    """

    raw_roughness: Parameter
    raw_fineness: Parameter
    rotation: Tensor | None

    def __init__(
        self,
        roughness_prior: NormalPrior | None = None,
        fineness_prior: NormalPrior | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(nu=2.5, **kwargs)
        if self.batch_shape:
            raise UnsupportedError("RoughMaternKernel has no batches; batch_shape is empty.")
        directions = None if self.ard_num_dims is None else torch.eye(self.ard_num_dims)
        self.register_buffer("rotation", directions)
        self.register_parameter("raw_roughness", _start(roughness_prior))
        self.register_parameter("raw_fineness", _start(fineness_prior))
        self.register_constraint("raw_roughness", Interval(*_ROUGHNESS_LIMITS, transform=None))
        self.register_constraint("raw_fineness", Interval(*_FINENESS_LIMITS, transform=None))
        if roughness_prior is not None:
            self.register_prior("roughness_prior", roughness_prior, _roughness, _set_roughness)
        if fineness_prior is not None:
            self.register_prior("fineness_prior", fineness_prior, _fineness, _set_fineness)

    @property
    def profile(self) -> Profile:
        """The covariance as a function of the distance."""
        roughness, fineness = self.raw_roughness.detach(), self.raw_fineness.detach()
        return Profile(float(roughness.sigmoid()), float(fineness.exp()))

    def forward(
        self,
        x1: Tensor,
        x2: Tensor,
        diag: bool = False,
        **params: Any,
    ) -> Tensor:
        """Evaluate the covariance.

        Args:
            x1: Points, ``batch_shape x n x d``.
            x2: Points, ``batch_shape x m x d``.
            diag: Whether only the ``n`` covariances of the points of one row are wanted.
            **params: Handed on to :meth:`~gpytorch.kernels.Kernel.covar_dist`.

        Returns:
            A ``batch_shape x n x m`` tensor, or ``batch_shape x n``.
        """
        distance = self.covar_dist(scaled(self, x1), scaled(self, x2), diag=diag, **params)
        roughness, fineness = self.raw_roughness.sigmoid(), self.raw_fineness.exp()
        smooth = matern_value(distance)
        value: Tensor = smooth + roughness * (matern_value(distance / fineness) - smooth)
        return value


def profile_of(kernel: Kernel) -> Profile | None:
    """The covariance of a kernel that has closed forms here.

    Args:
        kernel: Any kernel of GPyTorch.

    Returns:
        Its profile if it is Matérn 5/2 of all columns, with or without a rough part.
    """
    if getattr(kernel, "nu", None) != 2.5 or kernel.active_dims is not None:
        return None
    if type(kernel) is MaternKernel:
        return Profile()
    return kernel.profile if type(kernel) is RoughMaternKernel else None


def scaled(kernel: Kernel, X: Tensor) -> Tensor:
    """Points in units of the lengthscales, along their directions.

    Args:
        kernel: A kernel that has a profile.
        X: Points, ``... x d``.

    Returns:
        A tensor of the same shape.
    """
    rotation = getattr(kernel, "rotation", None)
    points: Tensor = (X if rotation is None else X @ rotation.to(X)) / kernel.lengthscale
    return points


def scaling(kernel: Kernel, dim: int) -> Tensor:
    """The same as a linear map, a ``d x d`` tensor by which points are multiplied from the right.

    Args:
        kernel: A kernel that has a profile.
        dim: Number of columns ``d``.

    Returns:
        The map, without a gradient.
    """
    lengthscale: Tensor = kernel.lengthscale.detach()
    return scaled(kernel, torch.eye(dim).to(lengthscale)).detach()


def _start(prior: NormalPrior | None) -> Parameter:
    return Parameter(torch.zeros(1) if prior is None else prior.loc.clone().reshape(1))


def _roughness(kernel: RoughMaternKernel) -> Tensor:
    return kernel.raw_roughness


def _set_roughness(kernel: RoughMaternKernel, value: Tensor) -> None:
    kernel.initialize(raw_roughness=value)


def _fineness(kernel: RoughMaternKernel) -> Tensor:
    return kernel.raw_fineness


def _set_fineness(kernel: RoughMaternKernel, value: Tensor) -> None:
    kernel.initialize(raw_fineness=value)


def rough_prior(loc: float, scale: float) -> NormalPrior:
    """A normal prior in double precision."""
    return NormalPrior(*torch.tensor([loc, scale], dtype=torch.double))
