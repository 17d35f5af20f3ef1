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
    def _sums(self) -> tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]:
        """Sums of the weights over the largest, times the distance from its index ** 0, 1, 2."""
        rate = _CONTEXT.exp(_CONTEXT.mpf(self.log_rate))
        sums = [_CONTEXT.mpf(1), _CONTEXT.mpf(0), _CONTEXT.mpf(0)]
        for step, end in ((1, self.limit), (-1, 0)):
            k, weight = self._mode, _CONTEXT.mpf(1)
            while k != end:
                weight *= rate / (k + 1) if step > 0 else k / rate
                k += step
                distance = k - self._mode
                for power in range(3):
                    sums[power] += distance**power * weight
                # Beyond the mode the weights fall geometrically or faster.
                if weight < _CONTEXT.mpf(10) ** -70:
                    break
        return sums[0], sums[1], sums[2]

    @cached_property
    def _mode(self) -> int:
        return min(self.limit, int(_CONTEXT.floor(_CONTEXT.exp(_CONTEXT.mpf(self.log_rate)))))

    def _log_weight(self, k: float) -> mpmath.mpf:
        return k * _CONTEXT.mpf(self.log_rate) - _CONTEXT.loggamma(_CONTEXT.mpf(k) + 1)

    @property
    def log_normalizer(self) -> mpmath.mpf:
        return self._log_weight(self._mode) + _CONTEXT.log(self._sums[0])

    @property
    def mean(self) -> mpmath.mpf:
        return self._mode + self._sums[1] / self._sums[0]

    @property
    def variance(self) -> mpmath.mpf:
        return self._sums[2] / self._sums[0] - (self._sums[1] / self._sums[0]) ** 2

    def log_prob(self, k: float) -> mpmath.mpf:
        """Of a count in the support; real counts continue the factorial by the Gamma function."""
        return self._log_weight(k) - self.log_normalizer

    def prob(self, k: int) -> float:
        return float(_CONTEXT.exp(self.log_prob(k))) if 0 <= k <= self.limit else 0.0
