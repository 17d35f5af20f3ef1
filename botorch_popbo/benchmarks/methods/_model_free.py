"""Without a model: random draws, regularised evolution and REINFORCE, as in NAS-Bench-201.

``rea`` is algorithm 1 of Real et al. (2019), Regularized evolution for image classifiers, with the
population of ten and the sample of three of NAS-Bench-201 (Dong and Yang, 2020). The initial design
fills the population. A mutation draws one parameter anew: another choice, another integer, or
another number of its range.

``reinforce``, Williams (1992), has a policy of independent categories, as in NAS-Bench-201: a
vector of logits for each parameter, ADAM, and a moving average of the rewards with momentum 0.9 as
baseline. The learning rate of 0.1 is a large one, since some hundred points are evaluated and not
thousands. A range is cut into ten intervals of equal width on its own scale, or one for each
integer where these are fewer; within the chosen interval a value is uniform. All logits start at
zero: the uniform initial design is drawn from the policy.
"""

from collections.abc import Sequence

import numpy as np
import torch
from ax.api.configs import ChoiceParameterConfig
from torch.nn import Parameter

from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import (
    ParameterConfig,
    from_unit_cube,
    sobol_point,
    to_unit_interval,
    uniform_point,
)
from botorch_popbo.benchmarks.settings import Parameters, Setting

_POPULATION, _SAMPLE = 10, 3
_MAX_INTERVALS, _LEARNING_RATE, _MOMENTUM = 10, 0.1, 0.9


class UniformDraws(SequentialOptimizer):
    """The initial design, continued."""

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        problem = self.problem
        return uniform_point(problem.parameters, problem.name, self.setting.seed, trial), None


class SobolDraws(SequentialOptimizer):
    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        problem, index = self.problem, trial - self.setting.initial
        return sobol_point(problem.parameters, problem.name, self.setting.seed, index), None


class RegularizedEvolution(SequentialOptimizer):
    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        generator = np.random.default_rng(seed)
        chosen = self.points[parent(self.outcomes, generator)]
        return mutate(self.problem.parameters, chosen, generator), None


def parent(outcomes: Sequence[float], generator: np.random.Generator) -> int:
    """The index of the best of a sample, drawn with replacement, of the population.

    That is the last ten: each new point takes the place of the oldest.
    """
    oldest = max(len(outcomes) - _POPULATION, 0)
    sample = oldest + generator.integers(len(outcomes) - oldest, size=_SAMPLE)
    return int(max(sample, key=outcomes.__getitem__))


def mutate(
    parameters: Sequence[ParameterConfig], point: Parameters, generator: np.random.Generator
) -> Parameters:
    """Change one parameter of a point that has another value."""
    movable = [
        config
        for config in parameters
        if not isinstance(config, ChoiceParameterConfig) or len(config.values) > 1
    ]
    config = movable[int(generator.integers(len(movable)))]
    value = point[config.name]
    while value == point[config.name]:
        value = from_unit_cube([config], [float(generator.random())])[config.name]
    return {**point, config.name: value}


class Reinforce(SequentialOptimizer):
    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        sizes = [num_actions(config) for config in problem.parameters]
        self.logits = [Parameter(torch.zeros(n, dtype=torch.float64)) for n in sizes]
        self.adam = torch.optim.Adam(self.logits, lr=_LEARNING_RATE)
        self.average = self.weight = 0.0

    def observe(self, parameters: Parameters, observed: float) -> None:
        super().observe(parameters, observed)
        reward = self.outcomes[-1]
        self.average = _MOMENTUM * self.average + (1 - _MOMENTUM) * reward
        self.weight = _MOMENTUM * self.weight + (1 - _MOMENTUM)
        terms = [
            logits.log_softmax(-1)[action(config, parameters[config.name])]
            for logits, config in zip(self.logits, self.problem.parameters, strict=True)
        ]
        self.adam.zero_grad()
        loss = -(reward - self.average / self.weight) * torch.stack(terms).sum()
        loss.backward()
        self.adam.step()

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        generator = np.random.default_rng(seed)
        cube = []
        for logits in self.logits:
            probabilities = logits.detach().softmax(-1).numpy()
            drawn = generator.choice(len(probabilities), p=probabilities)
            cube.append(float((drawn + generator.random()) / len(probabilities)))
        return from_unit_cube(self.problem.parameters, cube), None


def num_actions(config: ParameterConfig) -> int:
    """The number of choices, or of intervals of a range."""
    if isinstance(config, ChoiceParameterConfig):
        return len(config.values)
    is_whole, (low, high) = config.parameter_type == "int", config.bounds
    return min(int(high - low) + 1, _MAX_INTERVALS) if is_whole else _MAX_INTERVALS


def action(config: ParameterConfig, value: bool | int | float | str) -> int:
    """The index of a choice, or of the interval that holds a value."""
    if isinstance(config, ChoiceParameterConfig):
        return [*config.values].index(value)
    number = num_actions(config)
    return min(int(to_unit_interval(config, float(value)) * number), number - 1)
