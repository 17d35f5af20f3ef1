"""What a method of the benchmark provides."""

from collections.abc import Callable
from dataclasses import dataclass

from ax.api.client import Client

from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting


@dataclass(frozen=True)
class Suggestion:
    """A trial that runs in the client and waits for its outcome.

    Attributes:
        index: The trial's index in the client.
        parameters: The point to evaluate.
        generator: The name of what made the point.
    """

    index: int
    parameters: Parameters
    generator: str


#: Makes the next trial of a replication, given its index.
Suggest = Callable[[int], Suggestion]


@dataclass(frozen=True)
class Method:
    """A way of choosing the next point.

    Attributes:
        name: The name in the registry.
        description: One line for a list of methods.
        generator_prefix: What the names of the method's own generators begin with; a trial of any
            other generator after the initial design was a fallback.
        start: Prepares a client, whose search space and objective are set, for a replication. The
            points that follow may depend on the client's trials, the setting and the trial's
            index, and on nothing that is lost when the process ends.
    """

    name: str
    description: str
    generator_prefix: str
    start: Callable[[Client, Problem, Setting], Suggest]

    def is_fallback(self, generator: str) -> bool:
        """Whether a point after the initial design was not the method's own."""
        return not generator.startswith(self.generator_prefix)
