"""Rankings, and how well two of them agree."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

#: The number of better points of each point.
Ranking = NDArray[np.int64]


def ranking(scores: NDArray[np.float64]) -> Ranking:
    """Rank points.

    Args:
        scores: One for each point, smaller being better.

    Returns:
        The number of better points of each point; equal scores share it.

    Raises:
        ValueError: If a score is not a number.
    """
    if np.isnan(scores).any():
        raise ValueError("a score is not a number, so it has no rank")
    return np.asarray(rankdata(scores, method="min") - 1, dtype=np.int64)


def agreement(first: Ranking, second: Ranking) -> float:
    """Kendall's rank correlation (tau-b) of two rankings of the same points.

    Args:
        first: A ranking.
        second: Another.

    Returns:
        From -1, one the reverse of the other, to 1, equal; 0 if one ties all points, which tells
        nothing about the other.
    """
    tau = float(kendalltau(first, second).statistic)
    return 0.0 if np.isnan(tau) else tau
