"""What a method of the benchmark provides, and the classes that most of them extend."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from botorch_popbo.benchmarks.points import suggestion_seed, uniform_point
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Suggestion:
    """A point to evaluate.

    Attributes:
        parameters: The point.
        generator: The name of what made the point.
        incumbent: The evaluated point that the method's model recommends, or None if there is no
            model.
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
        """Choose the point of a trial, given its index."""

    def observe(self, parameters: Parameters, observed: float) -> None:
        """Learn the outcome, in the problem's unit, of a point, suggested or not."""


@runtime_checkable
class FailureAware(Protocol):
    """An optimizer that handles failures; others observe the worst outcome so far instead."""

    def observe_failure(self, parameters: Parameters) -> None:
        """Learn that the evaluation of a point, suggested or not, failed."""


@dataclass(frozen=True)
class Method:
    """A way of choosing the next point.

    Attributes:
        name: The name in the registry.
        description: One line for a list of methods.
        start: Makes the optimizer of a replication.
        library: The package that the method needs beside this one's own requirements, as it is
            named in the package index; its version is recorded.
    """

    name: str
    description: str
    start: Callable[[Problem, Setting], Optimizer]
    library: str | None = None


class SequentialOptimizer(ABC):
    """An optimizer that keeps the observations and nothing else, so that it can be resumed.

    Args:
        problem: The problem.
        setting: The replication.

    Attributes:
        space: The search space.
        points: The observed points.
        outcomes: Their outcomes, larger being better.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        self.problem = problem
        self.setting = setting
        self.space = problem.space
        self.points: list[Parameters] = []
        self.outcomes: list[float] = []

    def observe(self, parameters: Parameters, observed: float) -> None:
        """See :class:`Optimizer`."""
        self.points.append(parameters)
        self.outcomes.append(-observed if self.problem.minimize else observed)

    def suggest(self, trial: int) -> Suggestion:
        """See :class:`Optimizer`."""
        from botorch_popbo._reproducible import seeded

        seed = suggestion_seed(self.problem.name, self.setting.seed, trial)
        with seeded(seed):
            point, best = self.choose(trial, seed)
        return Suggestion(point, self.setting.method, None if best is None else self.points[best])

    @abstractmethod
    def choose(self, trial: int, seed: int) -> tuple[Parameters, int | None]:
        """Choose the next point.

        Args:
            trial: The trial's index.
            seed: A seed of this trial; the global generators start from it, too.

        Returns:
            The point, and the index of the best observed point by the method's model, or None if
            there is no model.
        """


class UniformDraws(SequentialOptimizer):
    """The initial design, continued."""

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        """See the base class."""
        return uniform_point(self.space, self.problem.name, self.setting.seed, trial), None


class TensorOptimizer(SequentialOptimizer):
    """An optimizer that sees encoded points and their outcomes as tensors."""

    def choose(self, trial: int, seed: int) -> tuple[Parameters, int | None]:
        """See the base class."""
        import torch

        X = torch.stack([self.space.encode(point) for point in self.points])
        Y = torch.tensor(self.outcomes, dtype=torch.float64).unsqueeze(-1)
        x, best = self.choose_encoded(X, Y, seed)
        return self.space.decode(x), best

    @abstractmethod
    def choose_encoded(self, X: "Tensor", Y: "Tensor", seed: int) -> tuple["Tensor", int]:
        """Choose the next point in the same way.

        Args:
            X: Encoded points, ``N x d``.
            Y: Outcomes, ``N x 1``, larger being better.
            seed: A seed of this trial; the global generators start from it, too.

        Returns:
            The encoded point, of shape ``d``, and the index of the best one by the model.
        """
