"""Optuna: the tree-structured Parzen estimator and the Gaussian process."""

from typing import Any

from botorch_popbo.benchmarks.methods._libraries import Dimension, LibraryOptimizer, Row, library
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting


class OptunaSampler(LibraryOptimizer):
    def __init__(self, sampler: str, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.optuna = library("optuna", setting.method)
        self.sampler = getattr(self.optuna.samplers, sampler)
        self.options = {"n_startup_trials": setting.initial}
        if sampler == "GPSampler":
            self.options["deterministic_objective"] = not problem.noisy
        self.space = {d.name: self._distribution(d) for d in self.dimensions}

    def ask(self, seed: int) -> Row:
        study = self.optuna.create_study(sampler=self.sampler(seed=seed, **self.options))
        study.add_trials(
            [
                self.optuna.create_trial(params=dict(row), distributions=self.space, value=loss)
                for row, loss in zip(self.rows, self.losses, strict=True)
            ]
        )
        row: Row = study.ask(self.space).params
        return row

    def _distribution(self, d: Dimension) -> Any:
        distributions = self.optuna.distributions
        if d.kind == "category":
            return distributions.CategoricalDistribution(range(int(d.high) + 1))
        if d.kind == "int":
            return distributions.IntDistribution(d.low, d.high, log=d.log)
        return distributions.FloatDistribution(d.low, d.high, log=d.log)
