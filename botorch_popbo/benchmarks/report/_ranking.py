"""How methods rank against each other over all problems."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.report.summary import Array, Summary

_RESAMPLES = 2000


def rank_methods(summaries: Sequence[Summary]) -> pd.DataFrame:
    """Rank the methods by where they ended, on every problem and seed; 1 is the best.

    Each problem counts the same; on each the seeds count that all compared methods completed. Ties
    share the mean of their ranks. By method, from the best, there are the "mean" rank and the ends
    "low" and "high" of its 95 % interval, from drawing problems with replacement and, of each,
    seeds. Methods without a complete run on some problem are left out, and all are if fewer than
    two can be compared.
    """
    compared = [
        method
        for method in methods_of(summaries)
        if all(method in methods_of([summary]) for summary in summaries)
    ]
    tables = [_ranks(summary, compared) for summary in summaries]
    if len(compared) < 2 or not all(len(ranks) for ranks in tables):
        return pd.DataFrame(columns=["mean", "low", "high"])
    means = np.mean([ranks.mean(axis=0) for ranks in tables], axis=0)
    low, high = np.percentile(_bootstrap(tables), (2.5, 97.5), axis=0)
    found = pd.DataFrame({"mean": means, "low": low, "high": high}, index=compared)
    return found.sort_values("mean", kind="stable")


def methods_of(summaries: Sequence[Summary]) -> list[str]:
    """The methods that have a curve somewhere."""
    return list(dict.fromkeys(curve.method for summary in summaries for curve in summary.curves))


def _ranks(summary: Summary, methods: Sequence[str]) -> Array:
    """Ranks on one problem, ``seeds x methods``."""
    ends = {curve.method: pd.Series(curve.results, curve.seeds) for curve in summary.curves}
    table = pd.DataFrame({method: ends[method] for method in methods}).dropna()
    return np.asarray(table.rank(axis=1, ascending=summary.is_loss))


def _bootstrap(tables: Sequence[Array]) -> Array:
    """Average ranks of resampled problems and seeds, ``resamples x methods``."""
    generator = np.random.default_rng(0)
    found = np.zeros((_RESAMPLES, tables[0].shape[1]))
    for row in found:
        for problem in generator.integers(len(tables), size=len(tables)):
            ranks = tables[problem]
            row += ranks[generator.integers(len(ranks), size=len(ranks))].mean(axis=0)
    return found / len(tables)
