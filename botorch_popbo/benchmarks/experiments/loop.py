"""One replication at work: suggest, evaluate, observe, failures included."""

import math
from time import perf_counter
from typing import Any

import torch

from botorch_popbo._plain import as_float
from botorch_popbo.benchmarks.methods import Method, Suggestion
from botorch_popbo.benchmarks.methods.base import FailureAware
from botorch_popbo.benchmarks.points import check_membership, evaluation_seed, uniform_point
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.versions import versions
from botorch_popbo.benchmarks.settings import Parameters, Setting, TrialRecord

INITIAL_DESIGN = "initial design"


class Loop:
    """A replication after the trials that were run before.

    A method that cannot handle failures observes the worst outcome so far instead, as is common;
    failures before the first success wait for that success.
    """

    def __init__(
        self,
        problem: Problem,
        setting: Setting,
        method: Method,
        records: list[TrialRecord],
        limited: Limited,
    ) -> None:
        self.problem = problem
        self.setting = setting
        self.versions = versions(method, problem)
        self.limited = limited
        self.successes: list[tuple[float, float]] = []  # score and observation
        self.scores: dict[str, float] = {}
        self._observed: list[float] = []
        self._waiting: list[Parameters] = []
        with limited():
            self.optimizer = method.start(problem, setting)
            for record in records:
                self._tell(record.parameters, record.observed, record.score)

    @torch.enable_grad()  # of the next one, too, where a problem switches gradients off
    def step(self, trial: int) -> TrialRecord:
        """Suggest and evaluate the trial of an index."""
        with self.limited():
            start = perf_counter()
            suggestion = self._next(trial)
            suggested = perf_counter()
        check_membership(self.problem.space, suggestion.parameters)
        if suggestion.incumbent is not None:
            check_membership(self.problem.space, suggestion.incumbent)
        noise = evaluation_seed(self.problem.name, self.setting.seed, trial)
        evaluating = perf_counter()
        # A copy, for a problem may take out what it has used.
        outcome = self.problem.evaluate(dict(suggestion.parameters), noise)
        evaluated = perf_counter()
        if outcome is not None:
            outcome = _number(outcome, "evaluate")
            if not math.isfinite(outcome):
                where = f"trial {trial} evaluated to {outcome} at {suggestion.parameters}"
                raise ValueError(f"{where}; evaluate must return None for a failure")
        observed = None if outcome is None else self.problem.tell(outcome, self.successes)
        score = outcome if self.problem.is_exact else self._score(suggestion, observed)
        with self.limited():
            self._tell(suggestion.parameters, observed, score)
        return TrialRecord(
            trial=trial,
            parameters=suggestion.parameters,
            observed=observed,
            score=score,
            incumbent_score=self._incumbent_score(suggestion),
            optimizer_seconds=suggested - start,
            evaluation_seconds=evaluated - evaluating,
            generator=suggestion.generator,
            versions=self.versions,
        )

    def _next(self, trial: int) -> Suggestion:
        # Before a trial has succeeded there is nothing to learn from.
        if trial >= self.setting.initial and self._observed:
            return self.optimizer.suggest(trial)
        if trial == 0 and self.problem.start is not None:
            return Suggestion(self.problem.start, INITIAL_DESIGN)
        point = uniform_point(self.problem.space, self.problem.name, self.setting.seed, trial)
        return Suggestion(point, INITIAL_DESIGN)

    def _tell(self, parameters: Parameters, observed: float | None, score: float | None) -> None:
        """Report a trial to the method, with None for the observation if it failed."""
        if observed is not None:
            self._observed.append(observed)
            for point in [parameters, *self._waiting]:
                self.optimizer.observe(point, observed)
            self._waiting.clear()
        elif isinstance(self.optimizer, FailureAware):
            self.optimizer.observe_failure(parameters)
        elif self._observed:
            worst = max if self.problem.minimize else min
            self.optimizer.observe(parameters, worst(self._observed))
        else:
            self._waiting.append(parameters)
        if observed is not None and score is not None:
            self.successes.append((score, observed))
            if not self.problem.noisy:
                self.scores[str(dict(parameters))] = score

    def _score(self, suggestion: Suggestion, observed: float | None) -> float | None:
        score = self._noise_free(suggestion.parameters)
        if score is None and observed is not None:
            point = suggestion.parameters
            raise ValueError(f"the score is not finite at {point}, whose evaluation succeeded")
        return score

    def _incumbent_score(self, suggestion: Suggestion) -> float | None:
        if suggestion.incumbent is None:
            return None
        # A user's function may take hours, and an exact one says the same again.
        score = self.scores.get(str(dict(suggestion.incumbent)))
        return self._noise_free(suggestion.incumbent) if score is None else score

    def _noise_free(self, parameters: Parameters) -> float | None:
        """The score of a point, or None if it has none, as a failed one may."""
        score: float | None = self.problem.score(dict(parameters))
        score = None if score is None else _number(score, "score")
        return None if score is None or not math.isfinite(score) else score


def _number(returned: Any, method: str) -> float:
    """Numbers of NumPy and tensors cannot be recorded."""
    number = as_float(returned)
    if number is None:
        raise TypeError(f"{method} must return a number, not {returned!r}")
    return number
