"""Methods of other libraries, which are shown all observations anew at every suggestion."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from ax.api.configs import ChoiceParameterConfig
from ax.utils.common.random import with_rng_seed

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods.base import Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import ParameterConfig, suggestion_seed
from botorch_popbo.benchmarks.settings import Parameters, Setting

#: The command that installs the libraries of the methods that need one.
INSTALL = 'pip install "botorch-popbo[peers]"'

#: A point in the numbers that every library understands: a choice is its place in the list.
Row = Mapping[str, int | float]


@dataclass(frozen=True)
class Dimension:
    """A parameter in the numbers that every library understands.

    Attributes:
        name: The parameter's name.
        kind: What its values are; an ordered choice is an integer, another one a category.
        low: The smallest value.
        high: The largest value; categories are the integers in between.
        log: Whether the scale is logarithmic.
    """

    name: str
    kind: Literal["category", "int", "float"]
    low: int | float
    high: int | float
    log: bool


class Replay(ABC):
    """An optimizer that a library makes of all observations at every suggestion.

    Nothing of the library's own state is kept, so that a resumed replication suggests what an
    uninterrupted one would have. The campaign's initial design takes the place of the library's.

    Args:
        problem: The problem.
        setting: The replication.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        self.problem = problem
        self.setting = setting
        self.dimensions = [_dimension(config) for config in problem.parameters]
        self.points: list[Parameters] = []
        self.rows: list[Row] = []
        self.losses: list[float] = []

    def suggest(self, trial: int) -> Suggestion:
        """See :class:`~botorch_popbo.benchmarks.methods.base.Optimizer`."""
        seed = suggestion_seed(self.problem.name, self.setting.seed, trial)
        with with_rng_seed(seed):
            point = self.choose(trial, seed)
        return Suggestion(point, self.setting.method)

    def observe(self, parameters: Parameters, observed: float) -> None:
        """See :class:`~botorch_popbo.benchmarks.methods.base.Optimizer`."""
        self.points.append(parameters)
        self.rows.append({c.name: _number(c, parameters[c.name]) for c in self.problem.parameters})
        self.losses.append(observed if self.problem.minimize else -observed)

    def point(self, row: Row) -> Parameters:
        """Give the numbers of a row their meaning and their Python types back."""
        return {c.name: _value(c, row[c.name]) for c in self.problem.parameters}

    @abstractmethod
    def choose(self, trial: int, seed: int) -> Parameters:
        """Choose the next point.

        Args:
            trial: The trial's index.
            seed: A seed of this trial; the global generators start from it, too.

        Returns:
            The point.
        """


def library(module: str, method: str) -> Any:
    """Import a module of a library that only one method needs.

    Args:
        module: The module's full name.
        method: The method's name.

    Returns:
        The module. Not all of these libraries are typed, nor are they always installed.

    Raises:
        UsageError: If it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(f"{method} needs the module {error.name}: {INSTALL}") from error


def _dimension(config: ParameterConfig) -> Dimension:
    if isinstance(config, ChoiceParameterConfig):
        kind: Literal["category", "int"] = "int" if config.is_ordered else "category"
        return Dimension(config.name, kind, 0, len(config.values) - 1, log=False)
    low, high = config.bounds
    log = config.scaling == "log"
    if config.parameter_type == "int":
        return Dimension(config.name, "int", int(low), int(high), log)
    return Dimension(config.name, "float", float(low), float(high), log)


def _number(config: ParameterConfig, value: bool | int | float | str) -> int | float:
    if isinstance(config, ChoiceParameterConfig):
        values: Sequence[object] = config.values
        return values.index(value)
    return int(value) if config.parameter_type == "int" else float(value)


def _value(config: ParameterConfig, number: int | float) -> bool | int | float | str:
    dimension = _dimension(config)
    # Libraries round: an end of a range may come back one digit beyond it, a whole number as float.
    inside = min(max(float(number), dimension.low), dimension.high)
    if isinstance(config, ChoiceParameterConfig):
        return config.values[round(inside)]
    return round(inside) if dimension.kind == "int" else float(inside)
