"""One replication at work: suggest, evaluate, observe."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.metadata import version
from time import perf_counter

from botorch_popbo.benchmarks.design import evaluation_seed, uniform_point
from botorch_popbo.benchmarks.membership import check_membership
from botorch_popbo.benchmarks.methods import METHODS, Suggestion
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.records import TrialRecord
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.version import __version__

INITIAL_DESIGN = "initial design"


class Loop:
    """Suggest, evaluate, observe.

    Args:
        problem: The problem.
        setting: The replication.
        records: The trials that were run before.
        limited: Makes a context that limits the time of a call into the method.
    """

    def __init__(
        self,
        problem: Problem,
        setting: Setting,
        records: list[TrialRecord],
        limited: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.problem = problem
        self.setting = setting
        self.versions = _versions()
        self.best = math.inf
        self.limited = limited
        with limited():
            self.optimizer = METHODS[setting.method].start(problem, setting)
            for record in records:
                self._tell(record.parameters, record.observed)

    def step(self, trial: int) -> TrialRecord:
        """Suggest and evaluate one trial.

        Args:
            trial: The trial's index.

        Returns:
            The finished trial.
        """
        with self.limited():
            start = perf_counter()
            suggestion = self._next(trial)
            suggested = perf_counter()
        check_membership(self.problem.parameters, suggestion.parameters)
        if suggestion.incumbent is not None:
            check_membership(self.problem.parameters, suggestion.incumbent)
        noise = evaluation_seed(self.problem.name, self.setting.seed, trial)
        evaluating = perf_counter()
        observed = self.problem.evaluate(suggestion.parameters, noise)
        evaluated = perf_counter()
        if not math.isfinite(observed):
            raise ValueError(f"trial {trial} evaluated to {observed} at {suggestion.parameters}")
        with self.limited():
            is_incumbent = self._tell(suggestion.parameters, observed)
        return TrialRecord(
            trial=trial,
            parameters=suggestion.parameters,
            observed=observed,
            score=self._score(suggestion, observed, is_incumbent),
            incumbent_score=self._incumbent_score(suggestion),
            optimizer_seconds=suggested - start,
            evaluation_seconds=evaluated - evaluating,
            generator=suggestion.generator,
            versions=self.versions,
        )

    def _next(self, trial: int) -> Suggestion:
        if trial >= self.setting.initial:
            return self.optimizer.suggest(trial)
        point = uniform_point(self.problem.parameters, self.problem.name, self.setting.seed, trial)
        return Suggestion(point, INITIAL_DESIGN)

    def _tell(self, parameters: Parameters, observed: float) -> bool:
        """Report an outcome; returns whether it is the best observed so far."""
        self.optimizer.observe(parameters, observed)
        loss = observed if self.problem.minimize else -observed
        is_incumbent = loss < self.best
        self.best = min(loss, self.best)
        return is_incumbent

    def _score(self, suggestion: Suggestion, observed: float, is_incumbent: bool) -> float | None:
        if not self.problem.noisy:
            return observed
        if is_incumbent or not self.problem.costly_score:
            return self.problem.score(suggestion.parameters)
        # Without incumbents the report follows the best observed point only.
        return None

    def _incumbent_score(self, suggestion: Suggestion) -> float | None:
        if suggestion.incumbent is None or self.problem.costly_score:
            return None
        return self.problem.score(suggestion.incumbent)


def _versions() -> dict[str, str]:
    others = {name: version(name) for name in ("botorch", "ax-platform", "torch", "scikit-learn")}
    return {"botorch-popbo": __version__, **others}
