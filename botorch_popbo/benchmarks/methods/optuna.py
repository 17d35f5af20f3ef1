"""Optuna: the tree-structured Parzen estimator and the Gaussian process."""

from functools import partial
from typing import Any

from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.replay import Dimension, Replay, library
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting


class _Optuna(Replay):
    def __init__(self, sampler: str, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.optuna = library("optuna", setting.method)
        self.sampler = getattr(self.optuna.samplers, sampler)
        self.options = {"n_startup_trials": setting.initial}
        if sampler == "GPSampler":
            self.options["deterministic_objective"] = not problem.noisy
        self.space = {d.name: self._distribution(d) for d in self.dimensions}

    def choose(self, trial: int, seed: int) -> Parameters:
        study = self.optuna.create_study(sampler=self.sampler(seed=seed, **self.options))
        study.add_trials(
            [
                self.optuna.create_trial(params=dict(row), distributions=self.space, value=loss)
                for row, loss in zip(self.rows, self.losses, strict=True)
            ]
        )
        return self.point(study.ask(self.space).params)

    def _distribution(self, dimension: Dimension) -> Any:
        module, d = self.optuna.distributions, dimension
        if d.kind == "category":
            return module.CategoricalDistribution(range(int(d.high) + 1))
        if d.kind == "int":
            return module.IntDistribution(d.low, d.high, log=d.log)
        return module.FloatDistribution(d.low, d.high, log=d.log)


def _method(name: str, description: str, sampler: str) -> Method:
    return Method(name, description, name, partial(_Optuna, sampler), "optuna")


METHODS = (
    _method("optuna-tpe", "Optuna's tree-structured Parzen estimator", "TPESampler"),
    _method("optuna-gp", "Optuna's Gaussian process, log expected improvement", "GPSampler"),
)
