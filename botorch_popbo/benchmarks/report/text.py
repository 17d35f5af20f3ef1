"""A comparison as text."""

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import ttest_1samp

from botorch_popbo.benchmarks.report.summary import Array, Summary, standard_error

_LEAST_SEEDS = 3
_TIED_SEEDS = 6  # a win at all of five may be luck, too: 2 / 2**5 is above 0.05
_LEVEL = 0.05  # how often one of two equal methods is said to be ahead
_LEGEND = """\
a + b evaluations: initial points and suggestions
result: at the point that the method recommends
best evaluated: at the best point tried, if all were scored
seconds: the median per suggestion
±: standard error over the seeds
verdict: by a paired t-test over the seeds, wrong on one in twenty pairs of equal methods"""


def estimate(mean: float, error: float, form: str | None = None) -> str:
    """Format a mean with its standard error; a dash if there is none.

    Without a format they have three and two digits.
    """
    if math.isnan(mean):
        return "-"
    spread = "" if math.isnan(error) else f" ± {format(error, form or '.2g')}"
    return format(mean, form or ".3g") + spread


def estimate_of(values: "pd.Series[float]") -> str:
    """Format the mean of values with its standard error."""
    return estimate(values.mean(), values.sem())


def table(summaries: Sequence[Summary]) -> str:
    """Tabulate where each method ended.

    Returns:
        Lines of text: mean and standard error over the seeds of the regret, or of the best value
        where the optimum is unknown; the same of the best point evaluated; and the median time of
        a suggestion. Then who is ahead of whom.
    """
    rows = [row for summary in summaries for row in _rows(summary)]
    columns = ["problem", "method", "seeds", "result", "best evaluated", "seconds"]
    ends = pd.DataFrame(rows, columns=columns).set_index(columns[:2]).to_string()
    problems = [
        f"{s.problem.name}: {s.initial} + {s.trials} evaluations, {s.quantity}" for s in summaries
    ]
    return "\n".join([ends, "", *problems, *verdicts(summaries), _LEGEND])


def is_ahead(gains: Array) -> bool:
    """Whether paired gains are above zero, by Student's quantile for so many of them."""
    is_enough = len(gains) >= _LEAST_SEEDS
    return is_enough and bool(ttest_1samp(gains, 0.0, alternative="greater").pvalue < _LEVEL / 2.0)


def verdicts(summaries: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each problem: who is ahead of whom at the same seeds."""
    for summary in summaries:
        if len(summary.whole) > 1:
            others = "tied" if summary.seeds >= _TIED_SEEDS else "too few seeds to tell"
            yield f"verdict on {summary.problem.name}: {'; '.join(_ahead(summary)) or others}"


def _ahead(summary: Summary) -> Iterator[str]:
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


def warnings(summaries: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each thing to know before trusting the numbers."""
    for summary in summaries:
        for curve in summary.curves:
            where = f"warning: {curve.method} on {summary.problem.name}"
            if curve.num_failed:
                yield (
                    f"{where}: no trial succeeded in {curve.num_failed} of {len(curve.seeds)} "
                    "replications"
                )
            if len(curve.versions) > 1:
                yield f"{where}: trials of several versions: {'; '.join(curve.versions)}"


def _rows(summary: Summary) -> Iterator[tuple[str, ...]]:
    name = summary.problem.name
    for curve in summary.curves:
        seeds, seconds = f"{len(curve.seeds)}/{summary.seeds}", curve.seconds_per_suggestion
        result = estimate(curve.mean[-1], curve.error[-1])
        last = curve.evaluated[:, -1]
        best = estimate(last.mean(), float(standard_error(last)))
        time = "<0.001" if seconds < 0.001 else f"{seconds:.3f}"
        yield name, curve.method, seeds, result, best, time
    if (default := summary.problem.default_score()) is not None:
        yield name, "default settings", "-", estimate(default, math.nan), "-", "-"
    for method in summary.without:
        yield name, method, f"0/{summary.seeds}", "no complete run", "-", "-"
