"""Directions along which the utility varies, where these are not the columns."""

import torch
from gpytorch.kernels import Kernel
from torch import Tensor

from botorch_popbo.models._fit.evidence import Conditioned, Evidence, Sample
from botorch_popbo.models._fit.hyperparameters import Modules
from botorch_popbo.models.kernels import RoughMaternKernel


def rotate(sample: Sample, conditioned: Conditioned, value: float) -> Tensor:
    """Turn lengthscales to the directions in which the expected utility varies.

    These are the eigenvectors of the mean outer product of its gradients at the records (the active
    subspaces of Constantine, 2015), in turn with a fit of the lengthscales. They are kept as long
    as that raises the posterior density by enough.

    Args:
        sample: What was fitted; its kernel is left with the best directions.
        conditioned: The records, conditioned on their order.
        value: Logarithm of the posterior density.

    Returns:
        Coordinates of the hyperparameters, perhaps in other directions.
    """
    coordinates, settings = conditioned.coordinates, sample.settings
    hyperparameters, kernel = sample.hyperparameters, sample.hyperparameters.modules.kernel
    has_directions = isinstance(kernel, RoughMaternKernel) and kernel.rotation is not None
    # Other directions gain nothing where no lengthscale can follow, and answers are too few.
    may_turn = has_directions and bool(kernel.raw_lengthscale.requires_grad)
    if not may_turn or bool(sample.records.is_judged.any()):
        return coordinates
    for _ in range(settings.max_rotations):
        modules = hyperparameters.assign(coordinates)
        axes = _principal_axes(sample.X, modules, conditioned)
        # Up to sign and order these are the present directions, which are fitted already.
        if bool((axes.abs().amax(0) > settings.same_direction).all()):
            break
        before, known = kernel.rotation, conditioned.utilities
        _turn(kernel, axes)
        hyperparameters.start_here()
        # Weights of the present directions: lengthscales along the others are not known yet.
        evidence = Evidence(sample, known.comparisons)
        least, start = value + settings.rotation_gain, hyperparameters.start
        conditioned, value = evidence.maximize(start, least, known.utilities)
        if value < least:  # a turn that gains too little is taken back
            kernel.rotation = before
            break
        coordinates = conditioned.coordinates
    return coordinates


def _principal_axes(X: Tensor, modules: Modules, conditioned: Conditioned) -> Tensor:
    """Eigenvectors of the mean outer product of the expected utility's gradients, ``d x d``.

    Args:
        X: The records, ``N x d``.
        modules: The kernel, with its present directions.
        conditioned: The same records, conditioned on their order.
    """
    # The target's expected utility: "Prediction" in docs/derivations.md.
    weights = modules.correlation[0, conditioned.source] * conditioned.utilities.weights
    with torch.enable_grad():
        points = X.clone().requires_grad_()
        mean = (modules.kernel(points, X).to_dense() @ weights).sum()
    [slopes] = torch.autograd.grad(mean, points)
    # In the coordinates of the present directions, in which each has its lengthscale.
    slopes = slopes @ modules.kernel.rotation
    return torch.linalg.eigh(slopes.T @ slopes).eigenvectors


def _turn(kernel: Kernel, axes: Tensor) -> None:
    """Give a kernel other directions, and the lengthscales that the present ones amount to there.

    Args:
        kernel: The kernel.
        axes: Directions in the coordinates of the present ones, in columns, ``d x d``.
    """
    # The diagonal of the squared distance in the new coordinates. What beside it couples two of
    # them is left out: the fit that follows finds the lengthscales anew.
    inverse_square = axes.T.square() @ kernel.lengthscale.squeeze(0).pow(-2.0)
    kernel.rotation = kernel.rotation @ axes
    constraint = kernel.raw_lengthscale_constraint
    kernel.raw_lengthscale.copy_(constraint.inverse_transform(inverse_square.rsqrt()))
