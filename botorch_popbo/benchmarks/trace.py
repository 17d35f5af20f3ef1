"""How good the best point is, trial by trial."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.records import TrialRecord

#: One number for each trial.
Array = npt.NDArray[np.float64]


def trace(problem: Problem, records: Sequence[TrialRecord]) -> Array:
    """Follow the score of the best point observed so far, or its regret if that is known.

    Args:
        problem: The problem.
        records: The trials of one replication, from the first.

    Returns:
        One number for each trial, in the metric's unit.
    """
    losses = np.array([r.observed if problem.minimize else -r.observed for r in records])
    # Position of the best observation among the first 1, 2, … trials.
    is_incumbent = losses == np.minimum.accumulate(losses)
    is_incumbent[1:] &= losses[1:] < np.minimum.accumulate(losses)[:-1]
    incumbent = np.maximum.accumulate(np.where(is_incumbent, np.arange(len(losses)), 0))
    scores = np.array([np.nan if r.score is None else r.score for r in records], dtype=float)
    values = scores[incumbent]
    if problem.optimal_value is None:
        return values
    return values - problem.optimal_value if problem.minimize else problem.optimal_value - values
