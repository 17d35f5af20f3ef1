"""Regularised evolution: Real et al. (2019), Regularized evolution for image classifiers.

Algorithm 1 of the paper with the population of ten and the sample of three that NAS-Bench-201 uses.
The initial design fills the population. A mutation draws one parameter anew: another choice,
another integer, or another number of its range.
"""

from collections.abc import Sequence

import numpy as np
from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.search_space.points import ParameterConfig, from_unit_cube
from botorch_popbo.benchmarks.settings import Parameters

_POPULATION = 10
_SAMPLE = 3


def parent(outcomes: Sequence[float], generator: np.random.Generator) -> int:
    """The index of the best of a sample, drawn with replacement, of the population.

    That is the last ten: each new point takes the place of the oldest.
    """
    oldest = max(len(outcomes) - _POPULATION, 0)
    sample = oldest + generator.integers(len(outcomes) - oldest, size=_SAMPLE)
    return int(max(sample, key=lambda index: outcomes[index]))


def mutate(
    parameters: Sequence[ParameterConfig], point: Parameters, generator: np.random.Generator
) -> Parameters:
    """Change one parameter of a point that has another value."""
    movable = [config for config in parameters if not _is_fixed(config)]
    config = movable[int(generator.integers(len(movable)))]
    value = point[config.name]
    while value == point[config.name]:
        value = from_unit_cube([config], [float(generator.random())])[config.name]
    return {**point, config.name: value}


def _is_fixed(config: ParameterConfig) -> bool:
    return isinstance(config, ChoiceParameterConfig) and len(config.values) == 1


class RegularizedEvolution(SequentialOptimizer):
    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        generator = np.random.default_rng(seed)
        chosen = self.points[parent(self.outcomes, generator)]
        return mutate(self.problem.parameters, chosen, generator), None
