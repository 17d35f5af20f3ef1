"""A kernel for functions that are smooth from afar and rough from nearby."""

from functools import partial
from threading import RLock
from typing import Any

import torch
from botorch.exceptions import UnsupportedError
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel, MaternKernel
from gpytorch.module import Module
from gpytorch.priors import NormalPrior
from gpytorch.settings import lazily_evaluate_kernels
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo._once_differentiable import once_differentiable

_LOCK = RLock()


def dense(kernel: Kernel, *points: Tensor) -> Tensor:
    """The covariance of one or two sets of points, evaluated at once.

    GPyTorch's switch is one of the whole process: of threads that turn it off and back at the same
    time the last could leave it off, and every covariance would take its memory unasked.

    Args:
        kernel: The kernel.
        *points: Points, ``batch_shape x n x d`` and ``batch_shape x m x d``.

    Returns:
        A ``batch_shape x n x m`` tensor.
    """
    with _LOCK, lazily_evaluate_kernels(False):
        covariance: Tensor = kernel(*points).to_dense()
    return covariance


class RoughMaternKernel(MaternKernel):
    r"""Matérn 5/2 on two scales.

    .. math::

        k(x, x') = (1 - s)\, m(r) + s\, m(r / c),

    where :math:`m` is Matérn 5/2, :math:`r` the distance in lengthscales, :math:`s` the roughness
    and :math:`c < 1` the fineness. A rugged function has a trend and, about it, a part of its own
    that is the same whenever the same point is evaluated. With one scale that part is either taken
    for noise, which never is worth following, or makes the trend invisible. What is noise and what
    is rough is distinguished by points that are close to each other.

    With several lengthscales points are rotated first: ``rotation`` holds the direction of each in
    a column, at first that of a column of the points. A fit may set it; if it is None, no fit does.
    There is no second derivative.

    Args:
        roughness_prior: Prior of the logit of :math:`s`, which starts at its mean, or at 0.
        fineness_prior: Prior of the logarithm of :math:`c`, which starts likewise.
        max_turned: Columns up to which points may be rotated.
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
        max_turned: int = 500,
        **kwargs: Any,
    ) -> None:
        super().__init__(nu=2.5, **kwargs)
        if self.batch_shape:
            raise UnsupportedError("RoughMaternKernel has no batches; batch_shape is empty.")
        dim = self.ard_num_dims
        can_turn = dim is not None and dim <= max_turned
        self.register_buffer("rotation", torch.eye(dim) if can_turn else None)
        # Beyond these limits either part is nothing, and what is finer is noise.
        register_raw(self, "roughness", (-9.0, 3.0), roughness_prior)
        register_raw(self, "fineness", (-4.0, 0.0), fineness_prior)

    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **params: object) -> Tensor:
        """Evaluate the covariance.

        Args:
            x1: Points, ``batch_shape x n x d``.
            x2: Points, ``batch_shape x m x d``.
            diag: Whether only the ``n`` covariances of points in the same place are wanted.
            **params: None.

        Returns:
            A ``batch_shape x n x m`` tensor, or ``batch_shape x n``.
        """
        # The gradient of a distance of zero is not needed where the variance is one.
        if diag and x1 is x2:
            return torch.ones_like(x1[..., 0])
        if diag:
            return self.forward(x1.unsqueeze(-2), x2.unsqueeze(-2))[..., 0, 0]
        parameters = self.lengthscale, self.raw_roughness, self.raw_fineness
        return _RoughMatern.apply(self.rotation, x1, x2, *parameters)


def register_raw(
    module: Module, name: str, limits: tuple[float, float], prior: NormalPrior | None
) -> None:
    """Give a module a parameter that no transform keeps within its limits: the fit does.

    It starts at the mean of its prior, or at 0 without one.

    Args:
        module: The module.
        name: Name of the parameter, without ``raw_``.
        limits: Its least and its largest value.
        prior: Its prior, if it has one.
    """
    start = torch.zeros(1) if prior is None else prior.loc.clone().reshape(-1)
    module.register_parameter(f"raw_{name}", Parameter(start))
    module.register_constraint(f"raw_{name}", Interval(*limits, transform=None))
    if prior is not None:  # unlike functions that GPyTorch makes, these can be pickled
        functions = partial(_get, name=f"raw_{name}"), partial(_set, name=f"raw_{name}")
        module.register_prior(f"{name}_prior", prior, *functions)


def _get(module: Module, name: str) -> Tensor:
    return getattr(module, name)


def _set(module: Module, value: Tensor, name: str) -> None:
    module.initialize(**{name: value})


class _RoughMatern(torch.autograd.Function):
    """The covariance in closed form: autograd through its formula takes three times as long."""

    @staticmethod
    def forward(
        ctx: Any,
        rotation: Tensor | None,
        x1: Tensor,
        x2: Tensor,
        lengthscale: Tensor,
        raw_roughness: Tensor,
        raw_fineness: Tensor,
    ) -> Tensor:
        first = _scaled(x1, rotation, lengthscale)
        second = first if x1 is x2 else _scaled(x2, rotation, lengthscale)
        # By matrix products points that are close lose their last digits. Of many columns they
        # take a sixth of the time, and the covariance, smooth in the square, loses its last only.
        few = "donot_" if first.shape[-1] <= 20 else ""
        distance = torch.cdist(first, second, compute_mode=f"{few}use_mm_for_euclid_dist")
        roughness = raw_roughness.sigmoid()
        value, *slopes = _value_and_slopes(distance, roughness, raw_fineness.exp())
        ctx.rotation, ctx.shapes, ctx.is_one_set = rotation, (x1.shape, x2.shape), x1 is x2
        ctx.save_for_backward(first, second, lengthscale, roughness, *slopes)
        return value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_value: Tensor) -> tuple[Tensor | None, ...]:
        first, second, lengthscale, share, slope, by_share, by_log_fineness = ctx.saved_tensors
        pull = by_value * slope
        gradients: list[Tensor | None] = [None for _ in ctx.needs_input_grad]
        if ctx.is_one_set:  # one set of points, which is pulled from either side at once
            sides = [(1, first, _pulled(pull + pull.mT, first, first))]
        else:
            by_second = _pulled(pull.mT, second, first)
            sides = [(1, first, _pulled(pull, first, second)), (2, second, by_second)]
        for place, _, slopes in sides:
            if ctx.needs_input_grad[place]:
                unscaled = _unscaled(slopes, ctx.rotation, lengthscale)
                gradients[place] = unscaled.sum_to_size(ctx.shapes[place - 1])
        if any(ctx.needs_input_grad[3:]):
            # A lengthscale pulls all points together.
            moved = sum((x * slopes).sum_to_size(lengthscale.shape) for _, x, slopes in sides)
            gradients[3] = -moved / lengthscale
            gradients[4] = (by_value * by_share).sum() * (share - share.square())
            gradients[5] = (by_value * by_log_fineness).sum().reshape(1)
        return tuple(gradients)


def _value_and_slopes(
    distance: Tensor, roughness: Tensor, fineness: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The covariance at a distance in lengthscales, and what its derivatives are made of.

    Args:
        distance: Distances, of any shape.
        roughness: Share of the variance that is rough, a tensor of one element in [0, 1].
        fineness: Lengthscale of the rough part in units of the other's, likewise.

    Returns:
        The covariance; minus its derivative by the squared distance; that by the roughness; and
        that by the logarithm of the fineness; all of the shape of ``distance``.
    """
    share, shrink = roughness.to(distance), fineness.to(distance).square()
    squared = distance.square().mul_(5.0)
    value, slope = _matern(squared)
    finer = squared / shrink
    rough, rough_slope = _matern(finer)
    # In place: large matrices wait for new memory.
    by_fineness = finer.mul_(rough_slope).mul_(share / 3.0)
    slope.lerp_(rough_slope.div_(shrink), share).mul_(5.0 / 6.0)
    change = rough.sub_(value)
    return value.addcmul_(change, share), slope, change, by_fineness


def _matern(squared: Tensor) -> tuple[Tensor, Tensor]:
    r"""Matérn 5/2 at five times a squared distance, and -6 times its derivative by that.

    With :math:`t = \sqrt 5 r` it is :math:`(1 + t + t^2 / 3) e^{-t}`, whose derivative by
    :math:`t^2` is :math:`-(1 + t) e^{-t} / 6`: smooth where two points are the same.
    """
    root = squared.sqrt()
    decay = root.neg().exp_()
    slope = root.add_(1.0).mul_(decay)
    return torch.addcmul(slope, squared, decay, value=1.0 / 3.0), slope


def _scaled(X: Tensor, rotation: Tensor | None, lengthscale: Tensor) -> Tensor:
    return (X if rotation is None else X @ rotation.to(X)) / lengthscale


def _unscaled(slopes: Tensor, rotation: Tensor | None, lengthscale: Tensor) -> Tensor:
    """Slopes by points of those by scaled points."""
    slopes = slopes / lengthscale
    return slopes if rotation is None else slopes @ rotation.to(slopes).T


def _pulled(pull: Tensor, x1: Tensor, x2: Tensor) -> Tensor:
    """What slopes by squared distances, negated, are with respect to ``x1``."""
    return 2.0 * (pull @ x2 - pull.sum(-1, keepdim=True) * x1)
