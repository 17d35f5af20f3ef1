"""The noise of COCO's suite ``bbob-noisy``.

After Hansen, Finck, Ros and Auger (2009), Real-parameter black-box optimization benchmarking 2009:
noisy functions definitions, RR-6869, section "Noise models". Of three functions that are otherwise
the same the first has Gaussian, the second uniform and the third Cauchy noise.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

_FIRST, _LAST_MODERATE = 101, 106
_KINDS = 3
_TARGET, _TINY = 1e-8, 1e-99
_CAUCHY_SHIFT = 1e3

#: The noisy excess over the optimum, given the excess and a source of noise.
Noise = Callable[[float, np.random.Generator], float]


def noise_of(function: int, dimension: int) -> Noise:
    """The noise of a function of the suite, by its number."""
    weight, share = _severity(function)
    kind = (function - _FIRST) % _KINDS
    if kind == 0:
        return partial(_gaussian, beta=weight)
    if kind == 1:
        return partial(_uniform, alpha=weight * (0.49 + 1.0 / dimension), beta=weight)
    return partial(_cauchy, alpha=weight, share=share)


def cauchy_sibling(function: int) -> int:
    """The number of the function that differs in nothing but that its noise is Cauchy's."""
    return function + _KINDS - 1 - (function - _FIRST) % _KINDS


def cauchy_shift(function: int) -> float:
    """By how much Cauchy noise raises even those values that it does not scatter."""
    return _severity(function)[0] * _CAUCHY_SHIFT + 1.01 * _TARGET


def _severity(function: int) -> tuple[float, float]:
    """The weight of the noise, and the share of values that Cauchy's scatters."""
    return (0.01, 0.05) if function <= _LAST_MODERATE else (1.0, 0.2)


def _gaussian(excess: float, rng: np.random.Generator, beta: float) -> float:
    return excess * float(np.exp(beta * rng.normal())) + 1.01 * _TARGET


def _uniform(excess: float, rng: np.random.Generator, alpha: float, beta: float) -> float:
    smaller, larger = rng.random(2)
    factor = max(1.0, (1e9 / (excess + _TINY)) ** (alpha * larger))
    return excess * float(smaller**beta * factor) + 1.01 * _TARGET


def _cauchy(excess: float, rng: np.random.Generator, alpha: float, share: float) -> float:
    is_scattered, (numerator, denominator) = rng.random() < share, rng.normal(size=2)
    scatter = numerator / (abs(denominator) + 1e-199) if is_scattered else 0.0
    return excess + alpha * max(0.0, _CAUCHY_SHIFT + float(scatter)) + 1.01 * _TARGET
