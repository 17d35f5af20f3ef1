"""Scikit-optimize: a random forest, as in the first version of SMAC."""

from typing import Any

from botorch_popbo.benchmarks.methods._libraries import Dimension, LibraryOptimizer, Row, library
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting


class SkoptForest(LibraryOptimizer):
    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.skopt = library("skopt", setting.method)
        self.space = [self._dimension(d) for d in self.dimensions]

    def ask(self, seed: int) -> Row:
        optimizer = self.skopt.Optimizer(
            self.space,
            base_estimator="RF",
            n_initial_points=len(self.points),
            acq_func="EI",
            random_state=seed,
        )
        names = [d.name for d in self.dimensions]
        optimizer.tell([[row[name] for name in names] for row in self.rows], self.losses)
        return dict(zip(names, optimizer.ask(), strict=True))

    def _dimension(self, d: Dimension) -> Any:
        space, prior = self.skopt.space, "log-uniform" if d.log else "uniform"
        if d.kind == "category":
            return space.Categorical(range(int(d.high) + 1))
        if d.kind == "int":
            return space.Integer(d.low, d.high, prior=prior)
        return space.Real(d.low, d.high, prior=prior)
