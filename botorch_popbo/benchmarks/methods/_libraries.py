"""Optimizers of other libraries, which are made anew of all observations at every suggestion.

Nothing of a library's own state is kept, so that a resumed replication suggests what an
uninterrupted one would have. The campaign's initial design takes the place of the library's.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from botorch_popbo._errors import library
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.points import asked_for, completed
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.space import Parameter, Space

#: A point in the numbers that every library understands: a choice is its place in the list.
Row = Mapping[str, int | float]


class Dimension(NamedTuple):
    """A parameter as numbers: an unordered choice is a category, an integer from 0 to ``high``.

    It may have a meaning beside some choices of another parameter only.
    """

    name: str
    kind: Literal["category", "int", "float"]
    low: int | float
    high: int | float
    log: bool
    beside: tuple[str, Sequence[int]] | None


class LibraryOptimizer(SequentialOptimizer):
    """Shows a library rows and losses, and gives its rows their meaning back."""

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.dimensions = [_dimension(self.space, name) for name in self.space.parameters]

    @property
    def rows(self) -> list[Row]:
        """The observed points in numbers."""
        own = self.space.parameters.items()
        return [{name: _number(p, point[name]) for name, p in own} for point in self.points]

    @property
    def losses(self) -> list[float]:
        """Their outcomes, smaller being better."""
        return [-outcome for outcome in self.outcomes]

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        row, own = self.ask(seed), self.space.parameters
        values = {name: _value(own[name], number) for name, number in row.items()}
        return completed(self.space, values), None

    @abstractmethod
    def ask(self, seed: int) -> Row:
        """Ask the library for a row; the global generators start from the seed, too."""


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
        from botorch_popbo.optuna._distributions import distributions_of, param_of, value_of

        distributions, own = distributions_of(self.space), self.space.parameters
        study = self.optuna.create_study(sampler=self.sampler(seed=seed, **self.options))
        for point, outcome in zip(self.points, self.outcomes, strict=True):
            asked = asked_for(self.space, point.__getitem__)
            params = {name: param_of(own[name], value) for name, value in asked.items()}
            told = {"params": params, "distributions": {n: distributions[n] for n in params}}
            study.add_trial(self.optuna.create_trial(value=-outcome, **told))
        new = study.ask()

        def suggested(name: str) -> Any:
            return value_of(own[name], _suggested(new, name, distributions[name]))

        return completed(self.space, asked_for(self.space, suggested)), None


def sampler_of(name: str, user: str) -> Any:
    """A class of Optuna's samplers, or this package's."""
    module = "botorch_popbo.optuna" if name == "PoPBOSampler" else "optuna.samplers"
    return getattr(library(module, user, "optuna"), name)


def _suggested(trial: Any, name: str, said: Any) -> Any:
    if hasattr(said, "choices"):
        return trial.suggest_categorical(name, said.choices)
    ask = trial.suggest_int if isinstance(said.low, int) else trial.suggest_float
    return ask(name, said.low, said.high, step=said.step, log=said.log)


def _dimension(space: Space, name: str) -> Dimension:
    p = space.parameters[name]
    is_whole = p.step is not None
    kind: Any = "category" if p.is_categorical else "int" if is_whole else "float"
    found = {
        parent: [int(place) for place, names in by.items() if name in names]
        for parent, by in space.dependents.items()
    }
    beside = next((named for named in found.items() if named[1]), None)
    return Dimension(name, kind, p.low, p.high, p.is_log, beside)


def _number(p: Parameter, value: Any) -> int | float:
    return value if p.choices is None else int(p.place(value))


def _value(p: Parameter, number: float) -> Any:
    # Libraries round: an end of a range may come back one digit beyond it, a whole number as float.
    inside = min(max(float(number), p.low), p.high)
    return inside if p.step is None else p.choices[round(inside)] if p.choices else round(inside)
