"""What a problem of the benchmark provides."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botorch_popbo.benchmarks.settings import Parameters

if TYPE_CHECKING:
    from botorch_popbo.space import Space


@dataclass(frozen=True)
class ProblemEntry:
    """A problem that has not been loaded.

    Attributes:
        name: The name in the registry.
        description: One line for a list of problems.
        load: Makes it, given the folder of table files or None; UsageError if a table is missing.
    """

    name: str
    description: str
    load: Callable[[Path | None], "Problem"]


@dataclass(frozen=True, kw_only=True)
class Problem(ABC):
    """An objective over a search space.

    Ax's ``BenchmarkProblem`` is not used: it asks for a known optimum and a baseline, and leaves
    the noise to a runner that draws it from the global generator, which a resumed replication
    could not draw again.

    Attributes:
        name: The name in the registry.
        space: Where the points are.
        label: What is observed, with its unit, for tables and plots.
        minimize: Whether small values are good.
        optimal_value: The best noise-free value, or None where it is unknown.
        num_initial: The size of the initial design unless the campaign sets another, in trials.
        noisy: Whether two evaluations of a point may differ.
        group: What a report sums it up with, or nothing.
        start: The point that every replication begins with, or None if that is a random one.
        library: The package, by its name in the package index, that defines the problem, or None;
            its version is recorded.
    """

    name: str
    space: "Space"
    label: str = "outcome"
    minimize: bool = True
    optimal_value: float | None = None
    num_initial: int = 12
    noisy: bool = False
    group: str = ""
    start: Parameters | None = None
    library: str | None = None

    def for_seed(self, seed: int) -> "Problem":
        """The problem of a replication: itself, unless each seed has an instance of its own.

        Instances have the same name, space and direction, which is all that a method knows.
        """
        return self

    @abstractmethod
    def score(self, parameters: Parameters) -> float:
        """The noise-free value of a point, or the best estimate of it, in the metric's unit.

        Failed points are scored, too, and may have NaN.
        """

    def evaluate(self, parameters: Parameters, seed: int) -> float | None:
        """Evaluate a point.

        Args:
            parameters: The point.
            seed: Determines the noise, in [0, 2**32).

        Returns:
            The outcome, in the metric's unit, or None if the evaluation failed; by default where
            the score is not a number.
        """
        score: Any = self.score(parameters)  # of a user's class it may be a tensor
        return None if score is None or math.isnan(score) else score

    def tell(self, observed: float, earlier: Sequence[tuple[float, float]]) -> float:
        """What a method observes of an outcome.

        Args:
            observed: The outcome.
            earlier: Score and observation of the successful trials before it.

        Returns:
            The observation: the outcome itself, unless the problem keeps it to itself.
        """
        return observed

    def measures(self, parameters: Parameters) -> Mapping[str, float]:
        """What else is known of a point, by name, for the report; no method sees it."""
        return {}

    def default_score(self) -> float | None:
        """The score without any tuning, or None if nothing is to be tuned."""
        return None

    @property
    def is_exact(self) -> bool:
        """Whether an evaluation is the score itself, so that one need not follow the other."""
        return type(self).evaluate is Problem.evaluate
