r"""The right-truncated Poisson law of a rank count, in log-rate form.

A point that was compared with ``n`` others (its *exposure*) and found worse than ``k`` of them has

.. math::

    P(k \mid \eta, n) = \frac{e^{k \eta} / k!}{\sum_{i=0}^{n} e^{i \eta} / i!},
    \qquad k = 0, \ldots, n, \quad \eta = \log \lambda,

which is equation (3) of [Wang2023popbo]_ with :math:`\lambda = \lambda_\xi(x)|X|`. An infinite
exposure gives the ordinary Poisson law. Every function broadcasts its arguments, computes in
float64 whatever it is given, returns the dtype of ``log_rate``, and can be differentiated with
respect to ``log_rate``. Sums run over the support: time and memory are proportional to the largest
finite exposure.

.. [Wang2023popbo]
    X. Wang, J. Li, C. Xue, W. Liu, W. Liu, X. Yang, J. Yan and D. Tao. Poisson Process for
    Bayesian Optimization. International Conference on Automated Machine Learning, 2023.
"""

import torch
from torch import Tensor


def log_prob(counts: Tensor, log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Log-probability of rank counts; minus infinity outside ``0 .. exposure``.

    Args:
        counts: Numbers of better points. Real values are allowed (expected counts).
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Log-probabilities of the broadcast shape.
    """
    eta, exposure = _clamped(log_rate, exposure)
    counts = counts.to(eta)
    inside = (counts >= 0) & (counts <= exposure)
    counts = counts.where(inside, 0.0)
    value = counts * eta - torch.lgamma(counts + 1.0) - _log_normalizer(eta, exposure)
    return value.where(inside, -torch.inf).to(log_rate.dtype)


def mean(log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Exact mean of the rank count.

    Args:
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Means in ranks, between 0 and ``exposure``, of the broadcast shape.
    """
    return _moments(log_rate, exposure)[0].to(log_rate.dtype)


def variance(log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Exact variance of the rank count, at most its mean.

    Args:
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Variances in squared ranks, of the broadcast shape.
    """
    return _moments(log_rate, exposure)[1].to(log_rate.dtype)


def cdf(counts: Tensor, log_rate: Tensor, exposure: Tensor) -> Tensor:
    r"""Probability of a count of at most ``counts``, the ratio of two normalizers.

    Args:
        counts: Counts; the fractional part has no effect.
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Probabilities of the broadcast shape.
    """
    eta, exposure = _clamped(log_rate, exposure)
    counts = counts.to(eta).floor()
    inside = (counts >= 0) & (counts < exposure)
    log_ratio = _log_normalizer(eta, counts.where(inside, 0.0)) - _log_normalizer(eta, exposure)
    value = log_ratio.clamp_max(0.0).exp().where(inside, (counts >= exposure).double())
    return value.to(log_rate.dtype)


def support(log_rate: Tensor, exposure: Tensor) -> Tensor:
    """All counts that any of the laws reaches with more than 1e-16 of probability.

    Args:
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Whole numbers from 0 on, in float64, one-dimensional.
    """
    eta, exposure = _clamped(log_rate.detach(), exposure)
    # No count of a Poisson law in float64 lies forty deviations above its mean.
    reach = (eta.exp() + 40.0 * ((0.5 * eta).exp() + 1.0)).ceil()
    last = int(torch.minimum(exposure, reach).amax()) if reach.numel() else 0
    return torch.arange(last + 1, dtype=torch.float64, device=eta.device)


def _clamped(log_rate: Tensor, exposure: Tensor) -> tuple[Tensor, Tensor]:
    # Minus infinity times a count of zero is not a number, and exp(710) is infinite.
    return log_rate.double().clamp(-1e30, 700.0), exposure.to(log_rate.device, torch.float64)


def _log_weights(eta: Tensor, exposure: Tensor) -> tuple[Tensor, Tensor]:
    """The counts from 0 to the largest finite exposure, and the logarithms of the sum's terms."""
    finite = exposure.where(exposure.isfinite(), 0.0).unsqueeze(-1)
    counts = torch.arange(int(finite.max()) + 1, dtype=eta.dtype, device=eta.device)
    weights = counts * eta.unsqueeze(-1) - torch.lgamma(counts + 1.0)
    return counts, weights.masked_fill(counts > finite, -torch.inf)


def _log_normalizer(eta: Tensor, exposure: Tensor) -> Tensor:
    """Logarithm of the sum in the denominator, which is the rate where the sum has no end."""
    _, weights = _log_weights(eta, exposure)
    return torch.where(exposure.isinf(), eta.exp(), weights.logsumexp(-1))


def _moments(log_rate: Tensor, exposure: Tensor) -> tuple[Tensor, Tensor]:
    eta, exposure = _clamped(log_rate, exposure)
    rate = eta.exp()
    counts, weights = _log_weights(eta, exposure)
    probability = weights.softmax(-1)
    mean = probability @ counts
    # Of the squares' mean less the mean's square nothing may be left.
    variance = (probability * (counts - mean.unsqueeze(-1)).square()).sum(-1)
    is_endless = exposure.isinf()
    return torch.where(is_endless, rate, mean), torch.where(is_endless, rate, variance)
