"""Which method is ahead of which, as far as the seeds can tell."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import ttest_1samp

from botorch_popbo.benchmarks.report.summary import Array, Summary

_LEAST_SEEDS = 3
_LEVEL = 0.05  # how often one of two equal methods is said to be ahead


def is_ahead(gains: Array) -> bool:
    """Whether paired gains are above zero, by Student's quantile for so many of them."""
    told = ttest_1samp(gains, 0.0, alternative="greater")
    return len(gains) >= _LEAST_SEEDS and bool(told.pvalue < _LEVEL / 2.0)


def verdicts(summaries: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each problem: who is ahead of whom at the same seeds."""
    for summary in summaries:
        if len(summary.whole) > 1:
            yield f"verdict on {summary.problem.name}: {'; '.join(_ahead(summary)) or 'level'}"


def _ahead(summary: Summary) -> Iterator[str]:
    if summary.seeds < _LEAST_SEEDS:
        yield f"no verdict from less than {_LEAST_SEEDS} seeds"
        return
    sign = 1.0 if summary.is_loss else -1.0
    results = {c.method: pd.Series(sign * c.results, c.seeds) for c in summary.whole}
    pairs = [
        (first, second)
        for first, second in product(results, results)
        if is_ahead(np.asarray(results[second] - results[first]))
    ]
    for method in results:
        if others := [second for first, second in pairs if first == method]:
            yield f"{method} ahead of {', '.join(others)}"
