"""Directions along which the utility varies, where these are not the columns."""

import torch
from torch import Tensor

from botorch_popbo.models._fit.evidence import Conditioned, Evidence
from botorch_popbo.models._hyperparameters.matern import MaternHyperparameters
from botorch_popbo.models._records.records import Records

_MOST_ROTATIONS = 2
# In nats. It is the price of the directions, which have no prior of their own.
_LEAST_GAIN = 2.0
_SAME = 0.97  # of the cosine between a new direction and an old one


def rotate(
    X: Tensor, records: Records, hyperparameters: MaternHyperparameters, theta: Tensor
) -> tuple[MaternHyperparameters, Tensor]:
    """Turn the lengthscales to the directions in which the expected utility varies.

    These are the eigenvectors of the mean outer product of its gradients at the records (the active
    subspaces of Constantine, 2015). They are kept if they raise the posterior density enough.

    Args:
        X: Encoded records that are no outliers, ``N x d``, in double precision.
        records: Their order, of one task.
        hyperparameters: What was fitted.
        theta: Their values, of shape ``p + 1``.

    Returns:
        Hyperparameters, perhaps of other directions, and their values.
    """
    conditioned = Evidence(X, records, hyperparameters).condition(theta)
    log_prior, _ = hyperparameters.log_prior(hyperparameters.standardize(theta))
    value = float(conditioned.utilities.log_likelihood + log_prior)
    for _ in range(_MOST_ROTATIONS):
        axes = _principal_axes(X @ hyperparameters.rotation, conditioned)
        if bool((axes.abs().amax(0) > _SAME).all()):
            break
        other = hyperparameters.rotated(axes)
        start = _along(axes, conditioned.theta)
        conditioned, reached = Evidence(X, records, other).maximize(start, value + _LEAST_GAIN)
        if reached < value + _LEAST_GAIN:
            break
        hyperparameters, theta, value = other, conditioned.theta, reached
    return hyperparameters, theta


def _principal_axes(points: Tensor, conditioned: Conditioned) -> Tensor:
    """Eigenvectors of the mean outer product of the utility's gradients, ``d x d``.

    Args:
        points: Points in the present directions, ``N x d``.
        conditioned: The records, conditioned on their order.
    """
    lengthscale = conditioned.theta[: points.shape[-1]].exp()
    scaled, derivative = points / lengthscale, conditioned.covariance.derivative
    assert derivative is not None
    pull = derivative[0] * conditioned.utilities.weights
    slopes = (pull @ scaled - pull.sum(-1, keepdim=True) * scaled) / lengthscale
    return torch.linalg.eigh(slopes.T @ slopes).eigenvectors


def _along(axes: Tensor, theta: Tensor) -> Tensor:
    """Hyperparameters with lengthscales along new directions, by the present metric."""
    number = len(axes)
    metric = axes.T.square() @ (-2.0 * theta[:number]).exp()
    return torch.cat([-0.5 * metric.log(), theta[number:]])
