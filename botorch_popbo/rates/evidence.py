"""Hyperparameters that maximise the posterior density given the observed order."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize
from torch import Tensor

from botorch_popbo.likelihoods.order import OrderedUtilities, order_utilities
from botorch_popbo.rates.covariance import Covariance, PairwiseDistances
from botorch_popbo.rates.ranking import Ranking

#: Bounds of the logarithms of the lengthscales and of the noise variance. An order does not say how
#: much better the best are. Where most of the domain is flat, noise alone would explain it, and
#: the search would leave the few good points: their ranks have to be worth something.
LOG_LENGTHSCALE = (-4.6, 6.0)
LOG_NOISE = (-13.8, -3.5)

# Looser than the uncertainty of the hyperparameters by far.
_OPTIONS = {"maxiter": 40, "ftol": 1e-4, "gtol": 1e-1}
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

    def standardize(self, log_theta: Tensor) -> Tensor:
        """Logarithms in standard deviations from their means, which is how they are searched."""
        return (log_theta - self.loc) / self.scale

    def restore(self, standardized: Tensor) -> Tensor:
        """The inverse of :meth:`standardize`."""
        return self.loc + self.scale * standardized


@dataclass(frozen=True)
class Conditioned:
    """Records conditioned on their order.

    Attributes:
        log_theta: Logarithms of lengthscales and noise variance, of shape ``d + 1``.
        covariance: The prior covariance of the records with their noise.
        utilities: Their utilities.
    """

    log_theta: Tensor
    covariance: Covariance
    utilities: OrderedUtilities


def condition(
    distances: PairwiseDistances,
    ranking: Ranking,
    log_theta: Tensor,
    start: Tensor | None = None,
) -> Conditioned:
    """Condition on the order at given hyperparameters.

    Args:
        distances: Of the ranked records.
        ranking: Their order.
        log_theta: Logarithms of lengthscales and noise variance, of shape ``d + 1``.
        start: Utilities of the distinct ranks to start from; by default the ranking's guess.

    Returns:
        The conditioned records.
    """
    noise = log_theta[-1].exp() + ranking.variance
    covariance = distances.covariance(log_theta[:-1].exp(), noise)
    utilities = order_utilities(
        covariance.precision,
        covariance.log_determinant,
        ranking.level,
        ranking.start if start is None else start,
    )
    return Conditioned(log_theta, covariance, utilities)


def maximize_evidence(
    distances: PairwiseDistances,
    ranking: Ranking,
    prior: LogNormal,
    start: Tensor,
    first_step: float = 1.0,
) -> tuple[Conditioned, float]:
    """Fit the hyperparameters by L-BFGS-B with exact gradients.

    Args:
        distances: Of the ranked records.
        ranking: Their order.
        prior: The prior of the logarithms of the hyperparameters.
        start: Logarithms to start from, of shape ``d + 1``.
        first_step: Length of the search's first step, in standard deviations of the prior.

    Returns:
        The records conditioned where evidence times prior density is largest, and its logarithm.
    """
    best: Conditioned | None = None
    best_value, levels = -math.inf, ranking.start

    def loss(steps: Array) -> tuple[float, Array]:
        nonlocal best, best_value, levels
        standardized = torch.from_numpy(steps).to(start) * first_step
        conditioned = condition(distances, ranking, prior.restore(standardized), levels)
        utilities = conditioned.utilities
        if bool((utilities.levels.diff() < 0.0).all()):  # rounding may close a gap for good
            levels = utilities.levels  # the next mode is near
        value = float(utilities.log_likelihood - 0.5 * standardized.square().sum())
        if value > best_value:
            best, best_value = conditioned, value
        gradient = _gradient(distances, conditioned) * prior.scale - standardized
        return -value, -(gradient * first_step).cpu().numpy()

    limits = torch.tensor([LOG_LENGTHSCALE] * (len(start) - 1) + [LOG_NOISE]).to(start)
    minimize(
        loss,
        (prior.standardize(start) / first_step).cpu().numpy(),
        jac=True,
        method="L-BFGS-B",
        bounds=(prior.standardize(limits.T).T / first_step).cpu().numpy(),
        options=_OPTIONS,
    )
    assert best is not None
    return best, best_value


def _gradient(distances: PairwiseDistances, conditioned: Conditioned) -> Tensor:
    """Derivative of the log-evidence with respect to the logarithms, of shape ``d + 1``."""
    lengthscale, noise = conditioned.log_theta[:-1].exp(), conditioned.log_theta[-1:].exp()
    slope = conditioned.utilities.gradient(conditioned.covariance.precision)
    return torch.cat(
        [
            distances.chain(slope, conditioned.covariance, lengthscale),
            slope.diagonal().sum() * noise,
        ]
    )
