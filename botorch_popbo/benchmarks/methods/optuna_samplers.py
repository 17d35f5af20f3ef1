"""Optuna's samplers, and this package's for Optuna.

A sampler is made anew of all observations at every suggestion. Nothing of its own state is kept, so
that a resumed replication suggests what an uninterrupted one would have. The campaign's initial
design takes the place of the library's.
"""

from typing import Any

from botorch_popbo._errors import library
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.points import asked_for, completed
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.space import Parameter, Space


class OptunaSampler(SequentialOptimizer):
    """A sampler of Optuna's, or this package's for Optuna, by the name of its class."""

    def __init__(self, sampler: str, problem: Problem, setting: Setting, **options: Any) -> None:
        super().__init__(problem, setting)
        self.optuna = library("optuna", setting.method, "optuna")
        self.sampler = sampler_of(sampler)
        self.options = {"n_startup_trials": setting.initial, **options}
        if sampler != "TPESampler":
            self.options["deterministic_objective"] = not problem.noisy

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        """See the base class."""
        distributions, parameters = distributions_of(self.space), self.space.parameters
        study = self.optuna.create_study(sampler=self.sampler(seed=seed, **self.options))
        for point, outcome in zip(self.points, self.outcomes, strict=True):
            asked = asked_for(self.space, point.__getitem__)
            params = {name: _param_of(parameters[name], value) for name, value in asked.items()}
            used = {name: distributions[name] for name in params}
            study.add_trial(
                self.optuna.create_trial(value=-outcome, params=params, distributions=used)
            )
        return suggested(study.ask(), self.space), None


def sampler_of(name: str) -> Any:
    """A class of Optuna's samplers, or this package's."""
    module = "botorch_popbo.optuna" if name == "PoPBOSampler" else "optuna.samplers"
    return getattr(library(module, name, "optuna"), name)


def distributions_of(space: Space) -> dict[str, Any]:
    """A distribution for each parameter; ordered choices, which Optuna lacks, are indices."""
    from optuna.distributions import CategoricalDistribution

    from botorch_popbo.optuna._distributions import distribution_of

    return {
        name: CategoricalDistribution(p.choices or ()) if p.is_categorical else distribution_of(p)
        for name, p in space.parameters.items()
    }


def suggested(trial: Any, space: Space) -> Parameters:
    """The point that a trial suggests, asked for what has a meaning beside what was suggested."""

    def suggest(name: str) -> Any:
        p = space.parameters[name]
        if p.is_categorical:
            return trial.suggest_categorical(name, p.choices)
        is_whole = isinstance(p.low, int) and isinstance(p.step, int)
        ask = trial.suggest_int if is_whole else trial.suggest_float
        return value_of(p, ask(name, p.low, p.high, step=p.step, log=p.is_log))

    return completed(space, asked_for(space, suggest))


def value_of(p: Parameter, param: Any) -> Any:
    """The value that a number or a choice in a trial stands for."""
    return p.choices[param] if p.choices and p.is_ordered else param


def _param_of(p: Parameter, value: Any) -> Any:
    return int(p.place(value)) if p.choices and p.is_ordered else value
