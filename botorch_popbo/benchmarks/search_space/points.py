"""Points of a search space as a function of (problem, seed, trial) alone.

Nothing here keeps the state of a random generator, so a resumed replication draws what an
uninterrupted one would have drawn.
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
import torch
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from torch.quasirandom import SobolEngine

from botorch_popbo.benchmarks.settings import Parameters

#: The kinds of parameter that the problems use.
ParameterConfig = RangeParameterConfig | ChoiceParameterConfig

_POINT, _EVALUATION, _SUGGESTION, _SOBOL = range(4)


def uniform_point(
    parameters: Sequence[ParameterConfig], problem: str, seed: int, trial: int
) -> Parameters:
    """Draw a point of a search space uniformly; the same for every method."""
    generator = np.random.default_rng(_entropy(_POINT, problem, seed, trial))
    return from_unit_cube(parameters, generator.random(len(parameters)).tolist())


def sobol_point(
    parameters: Sequence[ParameterConfig], problem: str, seed: int, index: int
) -> Parameters:
    """Return the point at a place, from 0, of a Sobol sequence that the seed scrambles."""
    scrambling = _word(_SOBOL, problem, seed, 0)
    engine = SobolEngine(len(parameters), scramble=True, seed=scrambling)
    cube = engine.fast_forward(index).draw(1, dtype=torch.float64)
    return from_unit_cube(parameters, cube.squeeze(0).tolist())


def evaluation_seed(problem: str, seed: int, trial: int) -> int:
    """The seed (32 bits) of a trial's noise; the same for every method."""
    return _word(_EVALUATION, problem, seed, trial)


def suggestion_seed(problem: str, seed: int, trial: int) -> int:
    """The seed (32 bits) of the global generators while a trial is suggested."""
    return _word(_SUGGESTION, problem, seed, trial)


def from_unit_cube(parameters: Sequence[ParameterConfig], cube: Sequence[float]) -> Parameters:
    """Map a point of the half-open unit cube to parameter values.

    Uniform numbers become uniform values: on a log-scaled range in the logarithm, with integers
    and choices equally likely (on a log-scaled range of integers, likely as the width of the
    interval of numbers that round to them).

    Args:
        parameters: The search space.
        cube: One number in [0, 1) for every parameter; on a range, 1 is its upper end.

    Returns:
        A value for every parameter.
    """
    return {
        config.name: _value(config, fraction)
        for config, fraction in zip(parameters, cube, strict=True)
    }


def to_unit_interval(config: RangeParameterConfig, value: float) -> float:
    """Invert :func:`from_unit_cube` on one range.

    An integer becomes the middle of the interval of those numbers that become it.
    """
    start, end = _ends(config)
    position = float(np.log(value)) if config.scaling == "log" else value
    return min(max((position - start) / (end - start), 0.0), 1.0)


def _value(config: ParameterConfig, fraction: float) -> bool | int | float | str:
    if isinstance(config, ChoiceParameterConfig):
        return config.values[int(fraction * len(config.values))]
    start, end = _ends(config)
    position = start + fraction * (end - start)
    value = float(np.exp(position)) if config.scaling == "log" else position
    # Rounding of the last digit must not leave the search space.
    low, high = config.bounds
    clipped = min(max(value, low), high)
    return round(clipped) if config.parameter_type == "int" else clipped


def _ends(config: RangeParameterConfig) -> tuple[float, float]:
    """The ends of a range on its own scale; all numbers that round to an integer belong to it."""
    margin = 0.5 if config.parameter_type == "int" else 0.0
    low, high = config.bounds[0] - margin, config.bounds[1] + margin
    return (float(np.log(low)), float(np.log(high))) if config.scaling == "log" else (low, high)


def _entropy(purpose: int, problem: str, seed: int, trial: int) -> np.random.SeedSequence:
    return np.random.SeedSequence([purpose, crc32(problem.encode()), seed, trial])


def _word(purpose: int, problem: str, seed: int, trial: int) -> int:
    return int(_entropy(purpose, problem, seed, trial).generate_state(1)[0])
