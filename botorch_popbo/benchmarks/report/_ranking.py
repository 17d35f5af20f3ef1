"""How methods rank against each other over all problems."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.report._trace import Array
from botorch_popbo.benchmarks.report.summary import Summary

_RESAMPLES = 2000
_SEED = 0
_TAIL = 2.5


@dataclass(frozen=True)
class AverageRank:
    """A method's rank, 1 being the best, averaged over problems and seeds.

    Attributes:
        method: The method's name.
        mean: The average rank; each problem counts the same.
        low: The lower end of the 95 % bootstrap interval.
        high: Its upper end.
    """

    method: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Ranking:
    """The average ranks of the methods that can be compared.

    Attributes:
        ranks: One for each method with a complete run on every problem, from the best; none if
            there are fewer than two.
        problems: The number of problems.
        without: The other methods.
    """

    ranks: tuple[AverageRank, ...]
    problems: int
    without: tuple[str, ...]


def rank_methods(summaries: Sequence[Summary]) -> Ranking:
    """Rank the methods by where they ended, on every problem and seed.

    The interval comes from drawing problems with replacement and, of each, seeds. Ties share the
    mean of their ranks. On a problem the seeds count that all compared methods completed.

    Args:
        summaries: One for each problem.

    Returns:
        The ranking; the same at every call.
    """
    shown = [[curve.method for curve in summary.curves] for summary in summaries]
    seen = tuple(dict.fromkeys(method for methods in shown for method in methods))
    compared = [method for method in seen if all(method in methods for methods in shown)]
    tables = [_ranks(summary, compared) for summary in summaries]
    if len(compared) < 2 or not all(len(ranks) for ranks in tables):
        return Ranking((), len(summaries), seen)
    means = np.mean([ranks.mean(axis=0) for ranks in tables], axis=0)
    low, high = np.percentile(_bootstrap(tables), (_TAIL, 100 - _TAIL), axis=0)
    found = [
        AverageRank(m, *map(float, n)) for m, *n in zip(compared, means, low, high, strict=True)
    ]
    without = tuple(method for method in seen if method not in compared)
    return Ranking(tuple(sorted(found, key=lambda rank: rank.mean)), len(summaries), without)


def _ranks(summary: Summary, methods: Sequence[str]) -> Array:
    """Ranks on one problem, ``seeds x methods``."""
    ends = {curve.method: pd.Series(curve.results, curve.seeds) for curve in summary.curves}
    table = pd.DataFrame({method: ends[method] for method in methods}).dropna()
    ranks: Array = table.rank(axis=1, ascending=summary.is_loss).to_numpy()
    return ranks


def _bootstrap(tables: Sequence[Array]) -> Array:
    """Average ranks of resampled problems and seeds, ``resamples x methods``."""
    generator = np.random.default_rng(_SEED)
    found = np.zeros((_RESAMPLES, tables[0].shape[1]))
    for row in found:
        for problem in generator.integers(len(tables), size=len(tables)):
            ranks = tables[problem]
            row += ranks[generator.integers(len(ranks), size=len(ranks))].mean(axis=0)
    return found / len(tables)
