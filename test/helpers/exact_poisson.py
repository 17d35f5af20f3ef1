"""The truncated Poisson law by summation in 50 digits."""

from dataclasses import dataclass
from functools import cached_property

import mpmath

_CONTEXT = mpmath.MPContext()
_CONTEXT.dps = 50


@dataclass(frozen=True)
class ExactLaw:
    """Weights ``exp(k * log_rate) / k!`` on ``0 .. limit``; the log-rate is taken as a double."""

    log_rate: float
    limit: int

    @cached_property
    def _weights(self) -> list[mpmath.mpf]:
        rate, weights = _CONTEXT.exp(_CONTEXT.mpf(self.log_rate)), [_CONTEXT.mpf(1)]
        for k in range(self.limit):
            weights.append(weights[-1] * rate / (k + 1))
        return weights

    def _moment(self, power: int) -> mpmath.mpf:
        return sum(k**power * weight for k, weight in enumerate(self._weights)) / self._total

    @cached_property
    def _total(self) -> mpmath.mpf:
        return sum(self._weights)

    @property
    def mean(self) -> mpmath.mpf:
        return self._moment(1)

    @property
    def variance(self) -> mpmath.mpf:
        return self._moment(2) - self.mean**2

    def log_prob(self, k: float) -> mpmath.mpf:
        """Of a count in the support; real counts continue the factorial by the Gamma function."""
        log_factorial = _CONTEXT.loggamma(_CONTEXT.mpf(k) + 1)
        return k * _CONTEXT.mpf(self.log_rate) - log_factorial - _CONTEXT.log(self._total)

    def prob(self, k: int) -> float:
        return float(_CONTEXT.exp(self.log_prob(k))) if 0 <= k <= self.limit else 0.0
