"""What a method of the benchmark provides."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting


@dataclass(frozen=True)
class Suggestion:
    """A point to evaluate.

    Attributes:
        parameters: The point.
        generator: The name of what made the point.
        incumbent: The evaluated point that the method's model holds for the best, or None if it
            has no model to ask.
    """

    parameters: Parameters
    generator: str
    incumbent: Parameters | None = None


class Optimizer(Protocol):
    """A method at work on one replication.

    What it suggests may depend on the observations, the setting and the trial's index, and on
    nothing that is lost when the process ends.
    """

    def suggest(self, trial: int) -> Suggestion:
        """Choose the next point.

        Args:
            trial: The trial's index.

        Returns:
            The point.
        """
        ...

    def observe(self, parameters: Parameters, observed: float) -> None:
        """Learn an outcome.

        Args:
            parameters: A point, suggested or not.
            observed: Its outcome, in the problem's unit.
        """
        ...


@runtime_checkable
class FailureAware(Protocol):
    """What an optimizer that has a notion of failures provides beside :class:`Optimizer`.

    Another one is told the worst outcome so far.
    """

    def observe_failure(self, parameters: Parameters) -> None:
        """Learn that an evaluation failed.

        Args:
            parameters: A point, suggested or not.
        """
        ...


@dataclass(frozen=True)
class Method:
    """A way of choosing the next point.

    Attributes:
        name: The name in the registry.
        description: One line for a list of methods.
        generator_prefix: What the names of the method's own generators begin with; a trial of any
            other generator after the initial design was a fallback.
        start: Makes the optimizer of a replication.
        library: The package that the method needs beside this one's own requirements, as it is
            named in the package index; its version is recorded.
    """

    name: str
    description: str
    generator_prefix: str
    start: Callable[[Problem, Setting], Optimizer]
    library: str | None = None

    def is_fallback(self, generator: str) -> bool:
        """Whether a point after the initial design was not the method's own."""
        return not generator.startswith(self.generator_prefix)
