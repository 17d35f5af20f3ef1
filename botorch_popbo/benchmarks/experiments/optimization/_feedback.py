"""What a method is told of the trials, failed ones included."""

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.methods.base import FailureAware
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting


class Feedback:
    """A method at work, and what it knows.

    A method that has no notion of a failure is told the worst outcome so far in its place, the
    common convention; failures before the first success wait for that success.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        self.optimizer = METHODS[setting.method].start(problem, setting)
        self.outcomes: list[float] = []
        self._best, self._worst = (min, max) if problem.minimize else (max, min)
        self._waiting: list[Parameters] = []

    @property
    def has_success(self) -> bool:
        """Whether some trial has succeeded; before that there is nothing to learn from."""
        return bool(self.outcomes)

    def is_best(self, observed: float) -> bool:
        """Whether an observation is better than all before it."""
        known = self.outcomes
        return observed not in known and self._best([observed, *known]) == observed

    def tell(self, parameters: Parameters, observed: float | None) -> None:
        """Report a trial, with None for the observation if it failed."""
        if observed is not None:
            self.outcomes.append(observed)
            self.optimizer.observe(parameters, observed)
            while self._waiting:
                self.optimizer.observe(self._waiting.pop(0), observed)
        elif isinstance(self.optimizer, FailureAware):
            self.optimizer.observe_failure(parameters)
        elif self.outcomes:
            self.optimizer.observe(parameters, self._worst(self.outcomes))
        else:
            self._waiting.append(parameters)
