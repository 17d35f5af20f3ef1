"""The default prior of the utility: kernel and noise, with the priors of their hyperparameters."""

import math
from typing import Any

import torch
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import LogNormalPrior
from torch import Tensor

from botorch_popbo.models.kernels import RoughMaternKernel, rough_prior

# Bounds of the logarithms of the lengthscales and of the noise variance. An order does not say how
# much better the best are. Where most of the domain is flat, noise alone would explain it, and
# the search would leave the few good points: their ranks have to be worth something.
_LOG_LENGTHSCALE = (-4.6, 6.0)
_LOG_NOISE = (-13.8, -3.5)

_LENGTHSCALE_DEVIATION = 0.7
# Of the logit of the roughness and of the logarithm of the fineness.
_ROUGHNESS = (-2.0, 1.5)
_FINENESS = (math.log(0.2), 0.5)

_NOISE_LOC, _NOISE_DEVIATION = -6.0, 2.0

# Of the law of a rank, which owes the search nothing: noise may be all that there is. Nearly flat.
_LOG_RANK_NOISE = (-13.8, 1.0)
_RANK_NOISE_LOC, _RANK_NOISE_DEVIATION = -4.0, 3.0
_LEAST_NOISE = 2e-6  # within the limits of either prior, also in single precision

# Of a judge, who may well err; every answer is weighed, so that nothing has to keep its worth.
_LOG_JUDGE_NOISE = (-9.2, 0.7)
_JUDGE_NOISE_LOC, _JUDGE_NOISE_DEVIATION = -3.0, 1.5


def default_lengthscale(dim: int) -> float:
    """Median of the lengthscale's prior on the unit cube.

    It grows with the root of the dimension, as distances do (Hvarfner, Hellsten and Nardi, 2024).

    Args:
        dim: Number of columns.

    Returns:
        The lengthscale.
    """
    return 0.7 * math.sqrt(dim)


def default_kernel(dim: int, scale: float = 1.0, is_categorical: bool = False) -> MaternKernel:
    """Matérn 5/2 of unit variance with a lengthscale for each column.

    It has a rough part and directions, but not where all is a category: there no two points are
    close, which alone tells what is rough, and one-hot columns have far more angles than there are
    records.

    Args:
        dim: Number of columns of an encoded point.
        scale: Factor of the lengthscales' prior.
        is_categorical: Whether all columns are one-hot.

    Returns:
        The kernel.
    """
    loc = math.log(scale * default_lengthscale(dim))
    lengthscale: dict[str, Any] = {
        "ard_num_dims": dim,
        "lengthscale_prior": _log_normal(loc, _LENGTHSCALE_DEVIATION),
        "lengthscale_constraint": _interval(*_LOG_LENGTHSCALE, loc),
    }
    if is_categorical:
        return MaternKernel(nu=2.5, **lengthscale)
    return RoughMaternKernel(
        roughness_prior=rough_prior(*_ROUGHNESS),
        fineness_prior=rough_prior(*_FINENESS),
        **lengthscale,
    )


def default_likelihood(judged: bool = False) -> GaussianLikelihood:
    """The noise of a utility, in units of the prior variance.

    Args:
        judged: Whether it is that of a judge's answers, not of outcomes.

    Returns:
        The likelihood.
    """
    loc, deviation = _NOISE_LOC, _NOISE_DEVIATION
    limits = _LOG_NOISE
    if judged:
        loc, deviation = _JUDGE_NOISE_LOC, _JUDGE_NOISE_DEVIATION
        limits = _LOG_JUDGE_NOISE
    return GaussianLikelihood(
        noise_prior=_log_normal(loc, deviation),
        noise_constraint=_interval(*limits, loc),
    )


def rank_likelihood(noise: Tensor) -> GaussianLikelihood:
    """The noise of a utility as far as predicted ranks are concerned.

    Args:
        noise: Its variance, a scalar tensor.

    Returns:
        The likelihood.
    """
    likelihood = GaussianLikelihood(
        noise_prior=_log_normal(_RANK_NOISE_LOC, _RANK_NOISE_DEVIATION),
        noise_constraint=_interval(*_LOG_RANK_NOISE, _RANK_NOISE_LOC),
    ).to(noise)
    likelihood.noise = noise.clamp_min(_LEAST_NOISE)
    return likelihood


def _log_normal(loc: float, scale: float) -> LogNormalPrior:
    return LogNormalPrior(*torch.tensor([loc, scale], dtype=torch.double))


def _interval(log_lower: float, log_upper: float, log_initial: float) -> Interval:
    # Logarithms in single precision, and their exponentials in double: these are exact inverses,
    # which the bounds that Interval rounds to torch's default dtype are not.
    logs = torch.tensor([log_lower, log_upper], dtype=torch.float32).tolist()
    bounds = torch.tensor([math.exp(value) for value in logs], dtype=torch.double)
    initial = float(torch.tensor(math.exp(log_initial), dtype=torch.float32))
    interval = Interval(*bounds, transform=None, initial_value=initial)
    interval.lower_bound, interval.upper_bound = bounds
    return interval
