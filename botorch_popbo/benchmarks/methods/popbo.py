"""This package's search, as its users have it."""

import math

import torch

from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import read_settings


class Popbo(SequentialOptimizer):
    """The default preset; a failure ranks below every success.

    As a user would, it says that outcomes are exact where they are.
    """

    def __init__(
        self, problem: Problem, setting: Setting, is_told: bool = True, order: bool = False
    ) -> None:
        super().__init__(problem, setting)
        self.settings = read_settings(None, order)
        self.variance = 0.0 if is_told and not problem.noisy else math.nan

    def observe_failure(self, parameters: Parameters) -> None:
        """See :class:`~botorch_popbo.benchmarks.methods.FailureAware`."""
        self.observe(parameters, math.inf if self.problem.minimize else -math.inf)

    def choose(self, trial: int, seed: int) -> tuple[Parameters, int]:
        """See the base class."""
        # The campaign has the initial design.
        space, search = self.space, Search(seed, self.settings, num_initial=1)
        points = [space.encode(point) for point in self.points]
        observations = zip(points, self.outcomes, strict=True)
        ended = [Trial(x, [outcome], variance=self.variance) for x, outcome in observations]
        trials = Trials.gather(ended, [], (len(space.parameters), 1, 0))
        suggested = space.decode(search.suggest(space, trials, trial))
        if len(trials.X.unique(dim=0)) == 1:  # which has no rank
            return suggested, 0
        is_best = torch.stack(points) == search.models(space, trials).objectives[0].recommended
        return suggested, int(is_best.all(-1).nonzero()[0])
