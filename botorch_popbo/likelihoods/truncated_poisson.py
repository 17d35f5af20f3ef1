r"""The right-truncated Poisson law of a rank count, in log-rate form.

A point that was compared with ``n`` others (its *exposure*) and found worse than ``k`` of them has

.. math::

    P(k \mid \eta, n) = \frac{e^{k \eta} / k!}{\sum_{i=0}^{n} e^{i \eta} / i!},
    \qquad k = 0, \ldots, n, \quad \eta = \log \lambda,

which is equation (3) of [Wang2023popbo]_ with :math:`\lambda = \lambda_\xi(x)|X|`. An infinite
exposure gives the ordinary Poisson law. Every function broadcasts its arguments, computes in
float64 whatever it is given, returns the dtype of ``log_rate``, and can be differentiated any
number of times with respect to ``log_rate``. Absolute errors of log-probabilities stay below
1e-10 for log-rates in [-30, 30] and exposures up to 10^4.

The sum is never formed. Where the rate exceeds the exposure it is the largest term times
:math:`T = \int_0^\infty e^{-t} (1 + t/\lambda)^n dt`; elsewhere it is :math:`e^\lambda (1 - P)`
with the small upper tail :math:`P` of the untruncated law, again an integral over the half line.

.. [Wang2023popbo]
    X. Wang, J. Li, C. Xue, W. Liu, W. Liu, X. Yang, J. Yan and D. Tao. Poisson Process for
    Bayesian Optimization. International Conference on Automated Machine Learning, 2023.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from botorch_popbo.likelihoods.quadrature import scaled_nodes

_MAX_LOG_RATE = 700.0  # exp() stays finite in float64
_MIN_LOG_RATE = -1e30  # stands for minus infinity, whose product with a count of zero is NaN
_NEGLIGIBLE = -45.0  # a relative correction below exp(-45) is beyond float64


class _Law(NamedTuple):
    """One broadcast set of laws: float64 tensors of a common shape, or scalars."""

    log_rate: Tensor
    exposure: Tensor
    in_tail: Tensor  # the rate exceeds the exposure: mass piles up at k = n
    log_sum: Tensor  # log of the normaliser over its reference term
    reference: Tensor  # index of the reference term: n in the tail, 0 elsewhere
    is_truncated: bool  # whether any exposure is not infinite

    def log_prob(self, counts: Tensor) -> Tensor:
        return (
            (counts - self.reference) * self.log_rate
            - (torch.lgamma(counts + 1.0) - torch.lgamma(self.reference + 1.0))
            - self.log_sum
        )


def log_prob(counts: Tensor, log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Log-probability of rank counts; minus infinity outside ``0 .. exposure``.

    Args:
        counts: Numbers of better points. Real values are allowed (expected counts).
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Log-probabilities of the broadcast shape.
    """
    law = _law(log_rate, exposure)
    counts = counts.to(law.log_rate)
    inside = (counts >= 0) & (counts <= law.exposure)
    value = law.log_prob(torch.where(inside, counts, 0.0))
    return torch.where(inside, value, -torch.inf).to(log_rate.dtype)


def log_normalizer(log_rate: Tensor, exposure: Tensor) -> Tensor:
    r"""Logarithm of :math:`\sum_{i=0}^n \lambda^i / i!` (without the factor :math:`e^{-\lambda}`).

    Args:
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Log-normalisers of the broadcast shape.
    """
    law = _law(log_rate, exposure)
    return (-law.log_prob(torch.zeros_like(law.log_rate))).to(log_rate.dtype)


def mean(log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Exact mean of the rank count.

    Args:
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Means in ranks, between 0 and ``exposure``, of the broadcast shape.
    """
    return _mean(_law(log_rate, exposure)).to(log_rate.dtype)


def variance(log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Exact variance of the rank count, at most its mean.

    Args:
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Variances in squared ranks, of the broadcast shape.
    """
    law = _law(log_rate, exposure)
    mean_ = _mean(law)
    if not law.is_truncated:
        return mean_.to(log_rate.dtype)
    rate, limit, at_limit = _head(law.log_rate, law.exposure, law.log_sum)
    variance_ = mean_ - (limit - mean_) * (rate * at_limit)
    variance_ = _replace(variance_, law.in_tail, _tail_variance, law.log_rate, law.exposure)
    return variance_.to(log_rate.dtype)


def _law(log_rate: Tensor, exposure: Tensor) -> _Law:
    exposure = exposure.to(log_rate.device, torch.float64)
    is_truncated = not bool(exposure.isposinf().all())
    log_rate, exposure = torch.broadcast_tensors(
        log_rate.double().clamp(_MIN_LOG_RATE, _MAX_LOG_RATE), exposure
    )
    if not is_truncated:  # the paper's law of long lists, whose normaliser is exp(rate)
        nothing = log_rate.new_zeros(())
        return _Law(log_rate, exposure, nothing.bool(), log_rate.exp(), nothing, False)
    in_tail = log_rate.exp() > exposure
    reference = torch.where(in_tail & exposure.isfinite(), exposure, 0.0)
    log_sum = _LogSum.apply(log_rate, exposure)
    return _Law(log_rate, exposure, in_tail, log_sum, reference, True)


class _LogSum(torch.autograd.Function):
    """Log of the normaliser over its reference term, with its derivative in closed form.

    The derivative is the mean less the index of the reference term. Knowing it saves the backward
    pass through the quadrature, which is most of the work of a gradient.
    """

    @staticmethod
    def forward(ctx: Any, log_rate: Tensor, exposure: Tensor) -> Tensor:
        rate = log_rate.exp()
        in_tail = rate > exposure
        log_sum = _replace(rate, in_tail, _tail_log_sum, log_rate, exposure)
        finite = torch.where(exposure.isfinite(), exposure, 0.0)
        log_bound = (finite + 1.0) * log_rate - rate - torch.lgamma(finite + 1.0)
        matters = exposure.isfinite() & ~in_tail & (log_bound > _NEGLIGIBLE)
        log_sum = _replace(log_sum, matters, _head_log_sum, log_rate, exposure)
        ctx.save_for_backward(log_rate, exposure, log_sum)
        return log_sum

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        log_rate, exposure, log_sum = ctx.saved_tensors
        if torch.is_grad_enabled():  # a derivative of the derivative is wanted
            log_sum = _LogSum.apply(log_rate, exposure)
        return grad_output * _slope(log_rate, exposure, log_sum), None


def _slope(log_rate: Tensor, exposure: Tensor, log_sum: Tensor) -> Tensor:
    """Mean count less the index of the reference term."""
    rate, _, at_limit = _head(log_rate, exposure, log_sum)
    in_tail = log_rate.exp() > exposure
    return _replace(rate * (1.0 - at_limit), in_tail, _tail_slope, log_rate, exposure)


def _head(log_rate: Tensor, exposure: Tensor, log_sum: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rate, finite limit and probability of the limit, each zero where it has no part.

    The moments' forms in these cancel where the rate exceeds the exposure: there the rate is zero
    and the results are replaced.
    """
    rate = log_rate.exp()
    in_tail = rate > exposure
    in_head = exposure.isfinite() & ~in_tail
    limit = torch.where(in_head, exposure, 0.0)
    log_at_limit = limit * log_rate - torch.lgamma(limit + 1.0) - log_sum
    at_limit = torch.where(in_head, log_at_limit, -torch.inf).exp()
    return torch.where(in_tail, 0.0, rate), limit, at_limit


def _replace(
    values: Tensor,
    where: Tensor,
    function: Callable[[Tensor, Tensor], Tensor],
    log_rate: Tensor,
    exposure: Tensor,
) -> Tensor:
    """``values`` with ``function(log_rate, exposure)`` where asked, evaluated only there."""
    if not bool(where.any()):
        return values
    return values.masked_scatter(where, function(log_rate[where], exposure[where]))


def _tail_integrand(log_rate: Tensor, exposure: Tensor) -> tuple[Tensor, Tensor]:
    """Log-terms of T and the scaled nodes ``t / rate``, each ``batch_shape x 64``."""
    inverse = torch.exp(-log_rate.clamp_min(-_MAX_LOG_RATE))
    nodes, log_weights = scaled_nodes(
        (1.0 - exposure * inverse).clamp_min(0.0), (exposure.sqrt() * inverse).square()
    )
    scaled = nodes * inverse.unsqueeze(-1)
    return exposure.unsqueeze(-1) * torch.log1p(scaled) - nodes + log_weights, scaled


def _tail_log_sum(log_rate: Tensor, exposure: Tensor) -> Tensor:
    return _tail_integrand(log_rate, exposure)[0].logsumexp(-1)


def _head_log_sum(log_rate: Tensor, exposure: Tensor) -> Tensor:
    rate, above = log_rate.exp(), exposure + 1.0
    nodes, log_weights = scaled_nodes(above - rate, rate)
    log_terms = -rate.unsqueeze(-1) * torch.expm1(-nodes) - above.unsqueeze(-1) * nodes
    log_tail = (log_terms + log_weights).logsumexp(-1)
    log_tail = above * log_rate - rate - torch.lgamma(above) + log_tail
    return rate + torch.log1p(-log_tail.exp())


def _mean(law: _Law) -> Tensor:
    if not law.is_truncated:
        return law.log_sum
    return law.reference + _slope(law.log_rate, law.exposure, law.log_sum)


def _tail_slope(log_rate: Tensor, exposure: Tensor) -> Tensor:
    log_terms, scaled = _tail_integrand(log_rate, exposure)
    return -exposure * (log_terms.softmax(-1) * scaled / (1.0 + scaled)).sum(-1)


def _tail_variance(log_rate: Tensor, exposure: Tensor) -> Tensor:
    log_terms, scaled = _tail_integrand(log_rate, exposure)
    weights = log_terms.softmax(-1)
    share = scaled / (1.0 + scaled)
    spread = share - (weights * share).sum(-1, keepdim=True)
    within = share / (1.0 + scaled)
    return exposure * (weights * within).sum(-1) + exposure.square() * (
        weights * spread.square()
    ).sum(-1)
