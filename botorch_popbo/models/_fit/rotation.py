"""Directions along which the utility varies, where these are not the columns."""

import torch
from torch import Tensor

from botorch_popbo.models._fit.evidence import Conditioned, Evidence
from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._records.records import Records

_MOST_ROTATIONS = 4
# In nats: what other directions have to gain, of which there are many and which have no prior.
_LEAST_GAIN = 4.0
_SAME = 0.97  # of the cosine between a new direction and an old one


def rotate(
    X: Tensor,
    records: Records,
    hyperparameters: Hyperparameters,
    conditioned: Conditioned,
    value: float,
) -> tuple[Hyperparameters, Tensor]:
    """Turn lengthscales to the directions in which the expected utility varies.

    These are the eigenvectors of the mean outer product of its gradients at the records (the active
    subspaces of Constantine, 2015), in turn with a fit of the lengthscales. They are kept as long
    as that raises the posterior density by enough.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        records: Their order.
        hyperparameters: What was fitted.
        conditioned: The records, conditioned on their order.
        value: Logarithm of the posterior density.

    Returns:
        Hyperparameters, perhaps of other directions, and their values.
    """
    theta = conditioned.theta
    if bool(records.is_judged.any()):  # answers are too few
        return hyperparameters, theta
    for _ in range(_MOST_ROTATIONS):
        if hyperparameters.rotation is None:
            break
        axes = _principal_axes(X @ hyperparameters.rotation, conditioned)
        if bool((axes.abs().amax(0) > _SAME).all()):
            break
        other = hyperparameters.rotated(axes)
        least = value + _LEAST_GAIN
        known = conditioned.utilities
        # Weights of the present directions: lengthscales along the others are not known yet.
        evidence = Evidence(X, records, other, known.relations)
        conditioned, value = evidence.maximize(_along(axes, theta), least, known.utilities)
        if value < least:
            break
        hyperparameters, theta = other, conditioned.theta
    return hyperparameters, theta


def _principal_axes(points: Tensor, conditioned: Conditioned) -> Tensor:
    """Eigenvectors of the mean outer product of the expected utility's gradients, ``d x d``.

    Args:
        points: The records in the present directions, ``N x d``.
        conditioned: The same records, conditioned on their order.
    """
    lengthscale = conditioned.theta[: points.shape[-1]].exp()
    scaled, (_, derivative, pairs) = points / lengthscale, conditioned.covariance
    assert derivative is not None
    assert pairs is not None  # of a covariance in closed form
    loading = conditioned.correlation[0, conditioned.source]
    pull = pairs.matrix(derivative[0], 0.0) * (loading * conditioned.utilities.weights)
    slopes = (pull @ scaled - pull.sum(-1, keepdim=True) * scaled) / lengthscale
    axes: Tensor = torch.linalg.eigh(slopes.T @ slopes).eigenvectors
    return axes


def _along(axes: Tensor, theta: Tensor) -> Tensor:
    """Hyperparameters with the lengthscales that the present ones amount to along the axes."""
    number = len(axes)
    inverse_square = axes.T.square() @ (-2.0 * theta[:number]).exp()
    return torch.cat([-0.5 * inverse_square.log(), theta[number:]])
