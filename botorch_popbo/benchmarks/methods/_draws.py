"""Points drawn without a look at the outcomes: the initial design, continued, and Sobol's."""

from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.search_space.points import sobol_point, uniform_point
from botorch_popbo.benchmarks.settings import Parameters


class UniformDraws(SequentialOptimizer):
    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        problem, own_seed = self.problem, self.setting.seed
        return uniform_point(problem.parameters, problem.name, own_seed, trial), None


class SobolDraws(SequentialOptimizer):
    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        problem, own_seed = self.problem, self.setting.seed
        index = trial - self.setting.initial
        return sobol_point(problem.parameters, problem.name, own_seed, index), None
