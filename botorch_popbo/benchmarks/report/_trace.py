"""How good the best point is, trial by trial."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.settings import Parameters, TrialRecord

#: One number for each trial.
Array = npt.NDArray[np.float64]


def trace(problem: Problem, records: Sequence[TrialRecord]) -> Array:
    """Follow the score of the best point known so far, or its regret if the optimum is known.

    The best point is the one with the best observation; a failed one comes after all others. On a
    noisy problem that may be a lucky one, so a method whose model was asked counts with the point
    that the model holds for the best.
    A model is asked before each suggestion and not after the last evaluation, so the last entry
    repeats the one before it. So does an entry after which the model was not asked, if it was
    asked earlier.
    """
    values = _scores(records)[_best_observed(problem, records)]
    if problem.noisy:
        # What the model held for the best before a trial is its verdict on the trials so far.
        verdicts = [record.incumbent_score for record in records[1:]] + [None]
        values = pd.Series(verdicts, dtype=float).ffill().fillna(pd.Series(values)).to_numpy()
    return _losses(problem, values)


def best_known(problem: Problem, records: Sequence[TrialRecord]) -> Parameters:
    """The point with the best observation."""
    return records[int(_best_observed(problem, records)[-1])].parameters


def best_evaluated(problem: Problem, records: Sequence[TrialRecord]) -> float:
    """The best score, or its regret, among the points that were evaluated without a failure.

    It is not a number if the score of some point was not recorded, or none succeeded.
    """
    scores = _scores([record for record in records if record.observed is not None])
    if not scores.size:
        return math.nan
    best = scores.min(keepdims=True) if problem.minimize else scores.max(keepdims=True)
    return float(_losses(problem, best)[0])


def _scores(records: Sequence[TrialRecord]) -> Array:
    return np.array([np.nan if r.score is None else r.score for r in records], dtype=float)


def _best_observed(problem: Problem, records: Sequence[TrialRecord]) -> npt.NDArray[np.int64]:
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
