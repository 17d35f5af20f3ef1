"""What methods keep of a replication."""

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting


class Observations:
    """The points and outcomes so far; larger outcomes are better.

    Args:
        problem: The problem.
        setting: The replication.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        self.problem = problem
        self.setting = setting
        self.points: list[Parameters] = []
        self.outcomes: list[float] = []

    def observe(self, parameters: Parameters, observed: float) -> None:
        """See :class:`~botorch_popbo.benchmarks.methods.base.Optimizer`."""
        self.points.append(parameters)
        self.outcomes.append(-observed if self.problem.minimize else observed)
