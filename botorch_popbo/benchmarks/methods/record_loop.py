"""Methods that make a point from the points and outcomes so far, without a model to ask."""

from abc import ABC, abstractmethod

import numpy as np

from botorch_popbo.benchmarks.methods.base import Suggestion
from botorch_popbo.benchmarks.methods.observations import Observations
from botorch_popbo.benchmarks.search_space.points import suggestion_seed
from botorch_popbo.benchmarks.settings import Parameters


class RecordLoop(Observations, ABC):
    """Make each point from the observations and random numbers of the trial's own."""

    def suggest(self, trial: int) -> Suggestion:
        """See :class:`~botorch_popbo.benchmarks.methods.base.Optimizer`."""
        seed = suggestion_seed(self.problem.name, self.setting.seed, trial)
        return Suggestion(self.propose(np.random.default_rng(seed)), self.setting.method)

    @abstractmethod
    def propose(self, generator: np.random.Generator) -> Parameters:
        """Make the next point.

        Args:
            generator: Source of randomness of this trial.

        Returns:
            A value for every parameter.
        """
