"""CMA-ES, with a margin that keeps the values of discrete parameters alive."""

from typing import Any

import numpy as np
import torch

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.replay import Replay, library
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.search_space.points import suggestion_seed
from botorch_popbo.benchmarks.settings import Parameters, Setting

# A quarter of the search space, the usual advice.
_STEP_SIZE = 0.25


class _CmaEs(Replay):
    """Starts from the best point of the initial design; then one generation after the other."""

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        # Two values are in order either way.
        unordered = [d.name for d in self.dimensions if d.kind == "category" and d.high > 1]
        if unordered:
            names = ", ".join(unordered)
            raise UsageError(
                f"{setting.method} needs parameters in order, which {names} of {problem.name} "
                "are not; use optuna-tpe for choices"
            )
        self.cmaes = library("cmaes", setting.method)
        self.encoding = Encoding(problem.parameters)

    def choose(self, trial: int, seed: int) -> Parameters:
        strategy = self._start()
        size = strategy.population_size
        told = self.setting.initial
        while told + size <= len(self.points):
            strategy.tell([self._solution(strategy.ask(), i) for i in range(told, told + size)])
            told += size
        asked = [strategy.ask() for _ in range(told, trial + 1)]
        return self._decode(asked[-1][0])

    def _start(self) -> Any:
        """Make the strategy; its seed is the replication's, as it is made again every time."""
        initial = self.setting.initial
        best = min(range(initial), key=self.losses.__getitem__)
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
        for i, d in enumerate(self.dimensions):
            count = int(d.high) - int(d.low) + 1
            if i in self.encoding.choices:
                steps[i] = 1 / (count - 1)
            elif d.kind == "int" and not d.log:
                steps[i] = 1 / count
                bounds[i] = 0.5 / count, 1 - 0.5 / count
        return bounds, steps

    def _solution(self, asked: Any, index: int) -> tuple[Any, float]:
        evaluated, own = asked
        point = self.points[index]
        is_own = self._decode(evaluated) == point
        return own if is_own else self.encoding.encode(point).numpy(), self.losses[index]

    def _decode(self, x: Any) -> Parameters:
        return self.encoding.decode(torch.from_numpy(x))


METHODS = (
    Method("cmaes", "CMA-ES with margin, for parameters in order", "cmaes", _CmaEs, "cmaes"),
)
