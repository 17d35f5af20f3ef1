"""What a method is told of the trials, failed ones included."""

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.methods.base import FailureAware
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting


class Feedback:
    """A method at work, and what it knows.

    A method that has no notion of a failure is told the worst outcome so far in its place, the
    common convention; failures before the first success wait for that success.

    Args:
        problem: The problem.
        setting: The replication.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        self.minimize = problem.minimize
        self.optimizer = METHODS[setting.method].start(problem, setting)
        self.worst: float | None = None
        self.best: float | None = None
        self._waiting: list[Parameters] = []

    @property
    def has_success(self) -> bool:
        """Whether some trial has succeeded; before that there is nothing to learn from."""
        return self.best is not None

    def is_best(self, observed: float) -> bool:
        """Whether an observation is better than all before it."""
        if self.best is None:
            return True
        return observed < self.best if self.minimize else observed > self.best

    def tell(self, parameters: Parameters, observed: float | None) -> None:
        """Report a trial.

        Args:
            parameters: The point.
            observed: Its observation, or None if it failed.
        """
        if observed is not None:
            self._update(observed)
            self.optimizer.observe(parameters, observed)
            while self._waiting:
                self.optimizer.observe(self._waiting.pop(0), observed)
        elif isinstance(self.optimizer, FailureAware):
            self.optimizer.observe_failure(parameters)
        elif self.worst is not None:
            self.optimizer.observe(parameters, self.worst)
        else:
            self._waiting.append(parameters)

    def _update(self, observed: float) -> None:
        if self.best is None or self.worst is None:
            self.best = self.worst = observed
            return
        low, high = min(self.best, self.worst, observed), max(self.best, self.worst, observed)
        self.best, self.worst = (low, high) if self.minimize else (high, low)
