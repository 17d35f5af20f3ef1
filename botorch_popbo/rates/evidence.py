"""Hyperparameters that maximise the posterior density given the observed order."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize
from torch import Tensor

from botorch_popbo.likelihoods.order import OrderedUtilities, order_utilities
from botorch_popbo.rates.covariance import Covariance, PairwiseDistances
from botorch_popbo.rates.ranking import Ranking

#: Bounds of the logarithms of the lengthscales and of the noise variance.
LOG_LENGTHSCALE = (-4.6, 6.0)
LOG_NOISE = (-13.8, 1.0)

_OPTIONS = {"maxiter": 40, "ftol": 1e-5, "gtol": 1e-2}

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LogNormal:
    """Independent normal laws of the logarithms of the hyperparameters.

    Attributes:
        loc: Means, of shape ``d + 1``: lengthscales, then the noise variance.
        scale: Standard deviations, of the same shape.
    """

    loc: Tensor
    scale: Tensor


def condition(
    distances: PairwiseDistances, ranking: Ranking, log_theta: Tensor
) -> tuple[Covariance, OrderedUtilities]:
    """Condition on the order at given hyperparameters.

    Args:
        distances: Of the ranked records.
        ranking: Their order.
        log_theta: Logarithms of lengthscales and noise variance, of shape ``d + 1``.

    Returns:
        The prior covariance of the records with their noise, and their utilities.
    """
    noise = log_theta[-1].exp() + ranking.variance
    covariance = distances.covariance(log_theta[:-1].exp(), noise)
    utilities = order_utilities(
        covariance.precision, covariance.log_determinant, ranking.level, ranking.start
    )
    return covariance, utilities


def maximize_evidence(
    distances: PairwiseDistances, ranking: Ranking, prior: LogNormal, start: Tensor
) -> Tensor:
    """Fit the hyperparameters by L-BFGS-B with exact gradients.

    Args:
        distances: Of the ranked records.
        ranking: Their order.
        prior: The prior of the logarithms of the hyperparameters.
        start: Logarithms to start from, of shape ``d + 1``.

    Returns:
        The logarithms that maximise evidence times prior density, of shape ``d + 1``.
    """

    def loss(values: Array) -> tuple[float, Array]:
        log_theta = torch.from_numpy(values.copy()).to(start.device)
        lengthscale, noise = log_theta[:-1].exp(), log_theta[-1].exp()
        covariance, utilities = condition(distances, ranking, log_theta)
        slope = utilities.gradient(covariance.precision)
        gradient = torch.cat(
            [
                distances.chain(slope, covariance, lengthscale),
                (slope.diagonal().sum() * noise).reshape(1),
            ]
        )
        offset = (log_theta - prior.loc) / prior.scale
        value = utilities.log_likelihood - 0.5 * offset.square().sum()
        return -float(value), -(gradient - offset / prior.scale).cpu().numpy()

    bounds = [LOG_LENGTHSCALE] * (len(start) - 1) + [LOG_NOISE]
    found = minimize(
        loss, start.cpu().numpy(), jac=True, method="L-BFGS-B", bounds=bounds, options=_OPTIONS
    )
    return torch.from_numpy(found.x).to(start.device)
