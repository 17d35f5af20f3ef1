"""One replication: a method on a problem from a seed, trial by trial, each kept on disk."""

import math
from collections.abc import Callable
from importlib.metadata import version
from time import perf_counter

from filelock import FileLock

from botorch_popbo.benchmarks.design import evaluation_seed, uniform_point
from botorch_popbo.benchmarks.methods import METHODS, Suggestion
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.records import (
    TrialRecord,
    append_record,
    read_records,
    records_path,
)
from botorch_popbo.benchmarks.settings import Campaign, Parameters, Setting
from botorch_popbo.benchmarks.threads import one_thread
from botorch_popbo.version import __version__

INITIAL_DESIGN = "initial design"


def replicate(
    campaign: Campaign, setting: Setting, go_on: Callable[[], bool] = lambda: True
) -> None:
    """Run the trials that a replication lacks.

    Recorded trials are reported to a fresh optimizer with their observations, so that the method
    sees what it saw in the process that recorded them. Two processes never run the same replication
    at the same time: the second waits and then finds the work of the first.

    Args:
        campaign: Says how many trials there are, and where files are.
        setting: The replication.
        go_on: Asked before each trial; the replication stops at the first no.

    Raises:
        UsageError: If the problem needs a table that is not there.
        RecordError: If the recorded trials are damaged.
        ValueError: If an evaluation is not finite.
        Exception: Whatever the method or the evaluation raises.
    """
    path = records_path(campaign.output, setting)
    path.parent.mkdir(parents=True, exist_ok=True)
    problem = PROBLEMS[setting.problem].load(campaign.data)
    with FileLock(path.with_suffix(".lock")), one_thread():
        records = read_records(path, setting, repair=True)
        loop = _Loop(problem, setting, records)
        for trial in range(len(records), campaign.num_trials(setting)):
            if not go_on():
                return
            append_record(path, setting, loop.step(trial))


class _Loop:
    """Suggest, evaluate, observe.

    Args:
        problem: The problem.
        setting: The replication.
        records: The trials that were run before.
    """

    def __init__(self, problem: Problem, setting: Setting, records: list[TrialRecord]) -> None:
        self.problem = problem
        self.setting = setting
        self.versions = _versions()
        self.best = math.inf
        self.optimizer = METHODS[setting.method].start(problem, setting)
        for record in records:
            self._tell(record.parameters, record.observed)

    def step(self, trial: int) -> TrialRecord:
        """Suggest and evaluate one trial."""
        start = perf_counter()
        suggestion = self._next(trial)
        suggested = perf_counter()
        noise = evaluation_seed(self.problem.name, self.setting.seed, trial)
        observed = self.problem.evaluate(suggestion.parameters, noise)
        evaluated = perf_counter()
        if not math.isfinite(observed):
            raise ValueError(f"trial {trial} evaluated to {observed} at {suggestion.parameters}")
        is_incumbent = self._tell(suggestion.parameters, observed)
        return TrialRecord(
            trial=trial,
            parameters=suggestion.parameters,
            observed=observed,
            score=self._score(suggestion, observed, is_incumbent),
            incumbent_score=self._incumbent_score(suggestion),
            optimizer_seconds=suggested - start,
            evaluation_seconds=evaluated - suggested,
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
