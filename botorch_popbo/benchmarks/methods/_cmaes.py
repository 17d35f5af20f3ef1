"""CMA-ES, with a margin that keeps the values of discrete parameters alive."""

from typing import Any

import numpy as np
import torch
from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods._libraries import library
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import suggestion_seed
from botorch_popbo.benchmarks.settings import Parameters, Setting

_STEP_SIZE = 0.25  # of the search space, the usual advice


class CMAES(SequentialOptimizer):
    """Starts from the best point of the initial design; then one generation after the other."""

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        # Two values are in order either way.
        unordered = [i for i in self.encoding.categorical if len(self.encoding.choices[i]) > 2]
        if unordered:
            names = ", ".join(problem.parameters[i].name for i in unordered)
            raise UsageError(
                f"{setting.method} needs parameters in order, which {names} of {problem.name} "
                "are not; use optuna-tpe for choices"
            )
        self.cmaes = library("cmaes", setting.method)

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        strategy = self._strategy()
        size = strategy.population_size
        told = self.setting.initial
        while told + size <= len(self.points):
            strategy.tell([self._solution(strategy.ask(), i) for i in range(told, told + size)])
            told += size
        asked = [strategy.ask() for _ in range(told, trial + 1)]
        return self.encoding.decode(torch.from_numpy(asked[-1][0])), None

    def _strategy(self) -> Any:
        """With a seed of the replication, as it is made again every time."""
        initial = self.setting.initial
        best = max(range(initial), key=self.outcomes.__getitem__)
        bounds, steps = self._grid()
        return self.cmaes.CMAwM(
            mean=self.encoding.encode(self.points[best]).numpy(),
            sigma=_STEP_SIZE,
            bounds=bounds,
            steps=steps,
            seed=suggestion_seed(self.problem.name, self.setting.seed, initial),
        )

    def _grid(self) -> tuple[Any, Any]:
        """Bounds, ``d x 2``, and distances between the codes of each column, 0 where none."""
        bounds = self.encoding.bounds.T.numpy().copy()
        steps = np.zeros(len(bounds))
        for i, config in enumerate(self.problem.parameters):
            if isinstance(config, ChoiceParameterConfig):
                steps[i] = 1 / (len(config.values) - 1)
            elif config.parameter_type == "int" and config.scaling != "log":
                low, high = config.bounds
                steps[i] = 1 / (high - low + 1)
                bounds[i] = 0.5 * steps[i], 1 - 0.5 * steps[i]
        return bounds, steps

    def _solution(self, asked: Any, index: int) -> tuple[Any, float]:
        evaluated, own = asked
        point = self.points[index]
        is_own = self.encoding.decode(torch.from_numpy(evaluated)) == point
        return own if is_own else self.encoding.encode(point).numpy(), -self.outcomes[index]
