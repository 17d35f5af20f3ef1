"""How good the best point is, trial by trial."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.report.summary import Array
from botorch_popbo.benchmarks.settings import Parameters, TrialRecord


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
    """Follow the score, or the regret, of the point that the method's model holds to be the best.

    Without a model that is the one with the best observation.
    A model is asked before each suggestion and not after the last evaluation, so the last entry
    repeats the one before it, as does one after which the model was not asked, if it was earlier.
    """
    values = pd.Series(_scores(records)[_best_observed(problem, records)])
    # What the model held to be the best before a trial is its verdict on the trials so far.
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
    best = np.minimum.accumulate(losses)
    is_better = np.append(True, losses[1:] < best[:-1])
    return np.maximum.accumulate(np.where(is_better, np.arange(len(losses)), 0))


def _losses(problem: Problem, values: Array) -> Array:
    if problem.optimal_value is None:
        return values
    return values - problem.optimal_value if problem.minimize else problem.optimal_value - values
