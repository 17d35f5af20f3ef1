"""How methods rank against each other over all problems."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.report.summary import Array, Curve, Summary

_RESAMPLES = 2000


def rank_methods(summaries: Sequence[Summary]) -> pd.DataFrame:
    """Rank the methods by where they ended, on every problem and seed; 1 is the best.

    Each problem counts the same; on each the seeds count that all compared methods completed. By
    method, from the best, there are the "mean" rank and the ends "low" and "high" of its 95 %
    interval, from drawing problems with replacement and, of each, seeds. There are none if fewer
    than two can be compared.
    """
    methods = comparable(summaries)
    nothing = pd.DataFrame(columns=["mean", "low", "high"])
    if len(methods) < 2:
        return nothing
    tables = [ranks(summary, methods, lambda curve: curve.results) for summary in summaries]
    if not all(len(table) for table in tables):
        return nothing
    means = np.mean([table.mean(axis=0) for table in tables], axis=0)
    low, high = np.percentile(_bootstrap(tables), (2.5, 97.5), axis=0)
    found = pd.DataFrame({"mean": means, "low": low, "high": high}, index=methods)
    return found.sort_values("mean", kind="stable")


def comparable(summaries: Sequence[Summary]) -> list[str]:
    """The methods that have a complete run on every problem."""
    return [
        method
        for method in methods_of(summaries)
        if all(method in methods_of([summary]) for summary in summaries)
    ]


def methods_of(summaries: Sequence[Summary]) -> list[str]:
    """The methods that have a curve somewhere."""
    return list(dict.fromkeys(curve.method for summary in summaries for curve in summary.curves))


def ranks(summary: Summary, methods: Sequence[str], values: Callable[[Curve], Array]) -> Array:
    """Rank methods on one problem by a value of each replication, ``seeds x methods``.

    Ties share the mean of their ranks; where nothing has succeeded there is no value, which ranks
    last. Only seeds count that all of these methods completed, and that have some value.
    """
    table = on_common_seeds(summary, methods, values).dropna(how="all")
    return np.asarray(table.rank(axis=1, ascending=summary.is_loss, na_option="bottom"))


def on_common_seeds(
    summary: Summary, methods: Sequence[str], values: Callable[[Curve], Array]
) -> pd.DataFrame:
    """A value of each replication, by method, for the seeds that all of these methods completed."""
    found = {curve.method: pd.Series(values(curve), curve.seeds) for curve in summary.curves}
    return pd.concat({method: found[method] for method in methods}, axis=1, join="inner")


def _bootstrap(tables: Sequence[Array]) -> Array:
    """Average ranks of resampled problems and seeds, ``resamples x methods``."""
    generator = np.random.default_rng(0)
    found = np.zeros((_RESAMPLES, tables[0].shape[1]))
    for row in found:
        for problem in generator.integers(len(tables), size=len(tables)):
            table = tables[problem]
            row += table[generator.integers(len(table), size=len(table))].mean(axis=0)
    return found / len(tables)
