"""Methods that make a point from the points and outcomes so far, without a model to ask."""

from abc import ABC, abstractmethod

import numpy as np

from botorch_popbo.benchmarks.design import suggestion_seed
from botorch_popbo.benchmarks.methods.base import Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting


class RecordLoop(ABC):
    """Keep the observations; larger outcomes are better.

    Args:
        problem: The problem.
        setting: The replication.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        self.problem = problem
        self.setting = setting
        self.points: list[Parameters] = []
        self.outcomes: list[float] = []

    def suggest(self, trial: int) -> Suggestion:
        """See :class:`~botorch_popbo.benchmarks.methods.base.Optimizer`."""
        seed = suggestion_seed(self.problem.name, self.setting.seed, trial)
        return Suggestion(self.propose(np.random.default_rng(seed)), self.setting.method)

    def observe(self, parameters: Parameters, observed: float) -> None:
        """See :class:`~botorch_popbo.benchmarks.methods.base.Optimizer`."""
        self.points.append(parameters)
        self.outcomes.append(-observed if self.problem.minimize else observed)

    @abstractmethod
    def propose(self, generator: np.random.Generator) -> Parameters:
        """Make the next point.

        Args:
            generator: Source of randomness of this trial.

        Returns:
            A value for every parameter.
        """
