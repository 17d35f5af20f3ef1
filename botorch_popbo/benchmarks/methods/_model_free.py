"""Without a model: random points."""

from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Parameters


class UniformDraws(SequentialOptimizer):
    """The initial design, continued."""

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        problem = self.problem
        return uniform_point(problem.parameters, problem.name, self.setting.seed, trial), None
