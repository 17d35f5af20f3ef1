"""Optimizers of other libraries, which are made anew of all observations at every suggestion.

Nothing of a library's own state is kept, so that a resumed replication suggests what an
uninterrupted one would have. The campaign's initial design takes the place of the library's.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import ParameterConfig
from botorch_popbo.benchmarks.settings import Parameters, Setting

#: The command that installs the libraries of the methods that need one.
INSTALL = 'pip install "botorch-popbo[peers]"'

Value = bool | int | float | str
#: A point in the numbers that every library understands: a choice is its place in the list.
Row = Mapping[str, int | float]


@dataclass(frozen=True)
class Dimension:
    """A parameter as numbers: an unordered choice is a category, an integer from 0 to ``high``."""

    name: str
    kind: Literal["category", "int", "float"]
    low: int | float
    high: int | float
    log: bool


class LibraryOptimizer(SequentialOptimizer):
    """Shows a library rows and losses, and gives its rows their meaning back."""

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.dimensions = [_dimension(config) for config in problem.parameters]

    @property
    def rows(self) -> list[Row]:
        """The observed points in numbers."""
        space = self.problem.parameters
        return [{c.name: _number(c, point[c.name]) for c in space} for point in self.points]

    @property
    def losses(self) -> list[float]:
        """Their outcomes, smaller being better."""
        return [-outcome for outcome in self.outcomes]

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        row = self.ask(seed)
        found = zip(self.problem.parameters, self.dimensions, strict=True)
        return {c.name: _value(c, d, row[c.name]) for c, d in found}, None

    @abstractmethod
    def ask(self, seed: int) -> Row:
        """Ask the library for a row; the global generators start from the seed, too."""


def library(module: str, method: str) -> Any:
    """Import a module of a library that only one method needs, or say how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(f"{method} needs the module {error.name}: {INSTALL}") from error


def _dimension(config: ParameterConfig) -> Dimension:
    if isinstance(config, ChoiceParameterConfig):
        kind: Literal["category", "int"] = "int" if config.is_ordered else "category"
        return Dimension(config.name, kind, 0, len(config.values) - 1, log=False)
    (low, high), log = config.bounds, config.scaling == "log"
    if config.parameter_type == "int":
        return Dimension(config.name, "int", int(low), int(high), log)
    return Dimension(config.name, "float", float(low), float(high), log)


def _number(config: ParameterConfig, value: Value) -> int | float:
    if isinstance(config, ChoiceParameterConfig):
        return [*config.values].index(value)
    return int(value) if config.parameter_type == "int" else float(value)


def _value(config: ParameterConfig, dimension: Dimension, number: float) -> Value:
    # Libraries round: an end of a range may come back one digit beyond it, a whole number as float.
    inside = min(max(float(number), dimension.low), dimension.high)
    if isinstance(config, ChoiceParameterConfig):
        return config.values[round(inside)]
    return round(inside) if dimension.kind == "int" else float(inside)
