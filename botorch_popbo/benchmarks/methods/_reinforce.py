"""REINFORCE, Williams (1992), with a policy of independent categories.

As in NAS-Bench-201 (Dong and Yang, 2020): a vector of logits for each parameter, ADAM, and a moving
average of the rewards with momentum 0.9 as baseline. The learning rate of 0.1 is a large one, since
some hundred points are evaluated and not thousands. A range is cut into ten intervals of equal
width on its own scale, or one for each integer where these are fewer; within the chosen interval a
value is uniform. All logits start at zero: the uniform initial design is drawn from the policy.
"""

import numpy as np
import torch
from ax.api.configs import ChoiceParameterConfig
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import (
    ParameterConfig,
    from_unit_cube,
    to_unit_interval,
)
from botorch_popbo.benchmarks.settings import Parameters, Setting

_MAX_INTERVALS = 10
_LEARNING_RATE = 0.1
_MOMENTUM = 0.9


def num_actions(config: ParameterConfig) -> int:
    """The number of choices, or of intervals of a range."""
    if isinstance(config, ChoiceParameterConfig):
        return len(config.values)
    if config.parameter_type == "int":
        low, high = config.bounds
        return min(int(high - low) + 1, _MAX_INTERVALS)
    return _MAX_INTERVALS


def action(config: ParameterConfig, value: bool | int | float | str) -> int:
    """The index of a choice, or of the interval that holds a value."""
    if isinstance(config, ChoiceParameterConfig):
        return [*config.values].index(value)
    number = num_actions(config)
    return min(int(to_unit_interval(config, float(value)) * number), number - 1)


class Reinforce(SequentialOptimizer):
    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        sizes = [num_actions(config) for config in problem.parameters]
        self.logits = [Parameter(torch.zeros(n, dtype=torch.float64)) for n in sizes]
        self.adam = torch.optim.Adam(self.logits, lr=_LEARNING_RATE)
        self.average = 0.0
        self.weight = 0.0

    def observe(self, parameters: Parameters, observed: float) -> None:
        super().observe(parameters, observed)
        reward = self.outcomes[-1]
        self.average = _MOMENTUM * self.average + (1 - _MOMENTUM) * reward
        self.weight = _MOMENTUM * self.weight + (1 - _MOMENTUM)
        self.adam.zero_grad()
        loss = -(reward - self.average / self.weight) * self._log_probability(parameters)
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

    def _log_probability(self, parameters: Parameters) -> Tensor:
        terms = [
            logits.log_softmax(-1)[action(config, parameters[config.name])]
            for logits, config in zip(self.logits, self.problem.parameters, strict=True)
        ]
        return torch.stack(terms).sum()
