"""CMA-ES, with a margin that keeps the values of discrete parameters alive."""

from itertools import compress
from typing import Any

import numpy as np
import torch

from botorch_popbo._errors import UsageError, library
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.points import suggestion_seed
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting

_STEP_SIZE = 0.25  # of the search space, the usual advice


class CMAES(SequentialOptimizer):
    """Starts from the best point of the initial design; then one generation after the other."""

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        # Two values are in order either way.
        unordered = self.space.is_categorical & (self.space.size > 2)
        if unordered.any():
            names = ", ".join(compress(self.space.parameters, unordered))
            raise UsageError(
                f"{setting.method} needs ordered parameters, which {names} of {problem.name} "
                "are not; use optuna-tpe for choices"
            )
        self.cmaes = library("cmaes", setting.method, "peers")

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        """See the base class."""
        strategy = self._strategy()
        size = strategy.population_size
        number = self.setting.initial  # of points that it knows
        while number + size <= len(self.points):
            strategy.tell([self._solution(strategy.ask(), i) for i in range(number, number + size)])
            number += size
        asked = [strategy.ask() for _ in range(number, trial + 1)]
        return self._decode(asked[-1][0]), None

    def _strategy(self) -> Any:
        """With a seed of the replication, as it is made again every time."""
        initial = self.setting.initial
        # Of a grid, the distance of its values in the unit cube; of a range, 0.
        is_grid = [p.step is not None and not p.is_log for p in self.space.parameters.values()]
        steps = np.where(is_grid, 1.0 / self.space.size.numpy(), 0.0)
        return self.cmaes.CMAwM(
            mean=self._encode(max(range(initial), key=self.outcomes.__getitem__)),
            sigma=_STEP_SIZE,
            bounds=np.stack([0.5 * steps, 1.0 - 0.5 * steps], axis=-1),
            steps=steps,
            seed=suggestion_seed(self.problem.name, self.setting.seed, initial),
        )

    def _solution(self, asked: Any, index: int) -> tuple[Any, float]:
        evaluated, drawn = asked
        is_own = self._decode(evaluated) == self.points[index]
        return drawn if is_own else self._encode(index), -self.outcomes[index]

    def _encode(self, index: int) -> Any:
        return self.space.to_unit(self.space.encode(self.points[index])).numpy()

    def _decode(self, unit: Any) -> Parameters:
        return self.space.decode(self.space.from_unit(torch.from_numpy(unit).clamp(0.0, 1.0)))
