"""What the records of a problem amount to: the curves of all methods."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from botorch_popbo.benchmarks.methods import Method
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.run.versions import COMMIT
from botorch_popbo.benchmarks.settings import Parameters, TrialRecord

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """A method's progress on a problem, over its complete replications.

    The first entry along the last axis is the state after the initial design, entry t after t
    more evaluations.

    Attributes:
        method: The method's name.
        seeds: The seeds of the replications.
        traces: The regret or the best value, ``replications x entries``.
        evaluated: The same of the best point evaluated, whatever was observed of it; not a number
            from the first score on that was not recorded, and before the first success.
        recommended: The same of the point that the method's model recommends, or of the one with
            the best observation if there is no model.
        times: The cumulative wall-clock time of the suggestions, ``replications x entries``.
        measures: What else the problem knows of the point with the best observation, one for each
            replication.
        num_failed: The number of replications in which no trial succeeded.
        versions: The versions of packages that the trials were run with, each once.
    """

    method: str
    seeds: tuple[int, ...]
    traces: Array
    evaluated: Array
    recommended: Array
    times: Array
    measures: tuple[Mapping[str, float], ...] = ()
    num_failed: int = 0
    versions: tuple[str, ...] = ()

    @property
    def mean(self) -> Array:
        """The mean over the replications."""
        return np.asarray(self.traces.mean(axis=0))

    @property
    def error(self) -> Array:
        """The mean's standard error; not a number for a single replication."""
        return standard_error(self.traces)

    @property
    def results(self) -> Array:
        """Where each replication ended."""
        return self.traces[:, -1]

    @property
    def seconds(self) -> Array:
        """The mean cumulative wall-clock time of the suggestions."""
        return np.asarray(self.times.mean(axis=0))

    @property
    def seconds_per_suggestion(self) -> float:
        """The median wall-clock time of a suggestion; the first of a process loads libraries."""
        return float(np.median(np.diff(self.times)))


@dataclass(frozen=True)
class Summary:
    """All curves of a problem.

    Attributes:
        problem: The problem.
        initial: The size of the initial design, in trials.
        trials: The number of evaluations after it.
        seeds: The number of replications that were asked for.
        curves: The curve of each method that has a complete replication.
        without: The methods that have none.
    """

    problem: Problem
    initial: int
    trials: int
    seeds: int
    curves: tuple[Curve, ...]
    without: tuple[str, ...] = ()

    @property
    def quantity(self) -> str:
        """What the curves show, with its unit."""
        label = self.problem.label
        if self.problem.optimal_value is not None:
            return f"regret in {label}"
        return f"{label} ({'lower' if self.problem.minimize else 'higher'} is better)"

    @property
    def is_loss(self) -> bool:
        """Whether small values are good in the curves."""
        return self.problem.minimize or self.problem.optimal_value is not None

    @property
    def whole(self) -> list[Curve]:
        """The curves that compete: a method that lost replications may have lost the hard ones.

        A replication without a success has no result.
        """
        return [c for c in self.curves if len(c.seeds) == self.seeds and not c.num_failed]


def standard_error(values: Array) -> Array:
    """The standard error of the mean over the first axis; not a number for a single value."""
    if len(values) == 1:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))


#: The trials of each complete replication, by seed.
Replications = Mapping[int, Sequence[TrialRecord]]


def curve(problem: Problem, initial: int, method: Method, found: Replications) -> Curve:
    """The curve of a method, of at least one replication with an initial design of that size."""
    replications = found.values()
    instances = [(problem.for_seed(seed), records) for seed, records in found.items()]
    suggestions = [records[initial:] for records in replications]
    seconds = [[0.0, *(record.optimizer_seconds for record in records)] for records in suggestions]

    def follow(trace: Callable[[Problem, Sequence[TrialRecord]], Array]) -> Array:
        """From the end of the initial design on, ``replications x entries``."""
        return np.array([trace(*replication)[initial - 1 :] for replication in instances])

    return Curve(
        method=method.name,
        seeds=tuple(found),
        traces=follow(trace),
        evaluated=follow(best_evaluated),
        recommended=follow(recommended),
        times=np.cumsum(seconds, axis=-1),
        measures=tuple(one.measures(best_known(one, records)) for one, records in instances),
        num_failed=sum({r.observed for r in records} == {None} for records in replications),
        versions=tuple(sorted({_versions(r) for records in replications for r in records})),
    )


def _versions(record: TrialRecord) -> str:
    # Not every commit changes results, and a long campaign sees many.
    packages = {name: text for name, text in record.versions.items() if name != COMMIT}
    return ", ".join(f"{name} {text}" for name, text in packages.items())


def trace(problem: Problem, records: Sequence[TrialRecord]) -> Array:
    """Follow the score of the best point known so far, or its regret if the optimum is known.

    The best point is the one with the best observation; a failed one comes after all others. On a
    noisy problem that may be a lucky one, so a method whose model was asked counts with the point
    that it recommends.
    """
    if problem.noisy:
        return recommended(problem, records)
    return _losses(problem, _scores(records)[_best_observed(problem, records)])


def recommended(problem: Problem, records: Sequence[TrialRecord]) -> Array:
    """Follow the score, or the regret, of the point that the method's model recommends.

    Without a model that is the one with the best observation.
    A model is asked before each suggestion and not after the last evaluation, so the last entry
    repeats the one before it, as does one after which the model was not asked, if it was earlier.
    """
    values = pd.Series(_scores(records)[_best_observed(problem, records)])
    # What the model recommended before a trial is its verdict on the trials so far.
    verdicts = pd.Series([record.incumbent_score for record in records[1:]] + [None], dtype=float)
    return _losses(problem, verdicts.ffill().fillna(values).to_numpy())


def best_known(problem: Problem, records: Sequence[TrialRecord]) -> Parameters:
    """The point with the best observation."""
    return records[int(_best_observed(problem, records)[-1])].parameters


def best_evaluated(problem: Problem, records: Sequence[TrialRecord]) -> Array:
    """Follow the best score, or its regret, among the points evaluated without a failure.

    It is not a number once the score of some point was not recorded, and until one succeeds.
    """
    worst, best = (np.inf, np.minimum) if problem.minimize else (-np.inf, np.maximum)
    failed = np.array([record.observed is None for record in records])
    values = best.accumulate(np.where(failed, worst, _scores(records)))
    return _losses(problem, np.where(np.isinf(values), np.nan, values))


def _scores(records: Sequence[TrialRecord]) -> Array:
    return np.array([np.nan if r.score is None else r.score for r in records], dtype=float)


def _best_observed(problem: Problem, records: Sequence[TrialRecord]) -> NDArray[np.int64]:
    """Position of the best observation among the first 1, 2, … trials."""
    sign = 1 if problem.minimize else -1
    losses = np.array([np.inf if r.observed is None else sign * r.observed for r in records])
    is_better = np.append(True, losses[1:] < np.minimum.accumulate(losses)[:-1])
    return np.maximum.accumulate(np.where(is_better, np.arange(len(losses)), 0))


def _losses(problem: Problem, values: Array) -> Array:
    if problem.optimal_value is None:
        return values
    return values - problem.optimal_value if problem.minimize else problem.optimal_value - values
