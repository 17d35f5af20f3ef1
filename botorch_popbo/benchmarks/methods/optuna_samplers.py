"""Optuna's samplers, and this package's for Optuna.

A sampler is made anew of all observations at every suggestion. Nothing of its own state is kept, so
that a resumed replication suggests what an uninterrupted one would have. The campaign's initial
design takes the place of the library's.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from botorch_popbo._errors import library
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.points import asked_for, completed
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.space import Parameter


class OptunaSampler(SequentialOptimizer):
    """A sampler of Optuna's, or this package's for Optuna, by the name of its class."""

    def __init__(self, sampler: str, problem: Problem, setting: Setting, **options: Any) -> None:
        super().__init__(problem, setting)
        self.optuna = library("optuna", setting.method, "optuna")
        self.sampler = sampler_of(sampler, setting.method)
        self.options = {"n_startup_trials": setting.initial, **options}
        if sampler != "TPESampler":
            self.options["deterministic_objective"] = not problem.noisy

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        """See the base class."""
        from botorch_popbo.optuna._distributions import distributions_of, param_of

        distributions, parameters = distributions_of(self.space), self.space.parameters
        study = self.optuna.create_study(sampler=self.sampler(seed=seed, **self.options))
        for point, outcome in zip(self.points, self.outcomes, strict=True):
            asked = asked_for(self.space, point.__getitem__)
            params = {name: param_of(parameters[name], value) for name, value in asked.items()}
            used = {name: distributions[name] for name in params}
            study.add_trial(
                self.optuna.create_trial(value=-outcome, params=params, distributions=used)
            )
        suggested = partial(suggested_by, study.ask(), distributions, parameters)
        return completed(self.space, asked_for(self.space, suggested)), None


def sampler_of(name: str, user: str) -> Any:
    """A class of Optuna's samplers, or this package's; ``user`` is what needs it."""
    module = "botorch_popbo.optuna" if name == "PoPBOSampler" else "optuna.samplers"
    return getattr(library(module, user, "optuna"), name)


def suggested_by(
    trial: Any, distributions: Mapping[str, Any], parameters: Mapping[str, Parameter], name: str
) -> Any:
    """The value of a parameter that a trial asks for."""
    from botorch_popbo.optuna._distributions import value_of

    distribution = distributions[name]
    if hasattr(distribution, "choices"):
        number = trial.suggest_categorical(name, distribution.choices)
    else:
        low, high, step, log = (
            getattr(distribution, key) for key in ("low", "high", "step", "log")
        )
        suggest = trial.suggest_int if isinstance(low, int) else trial.suggest_float
        number = suggest(name, low, high, step=step, log=log)
    return value_of(parameters[name], number)
