"""A comparison as text."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from botorch_popbo.benchmarks.report.summary import Summary, standard_error
from botorch_popbo.benchmarks.report.verdict import verdicts

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
        best = estimate(curve.best.mean(), float(standard_error(curve.best)))
        time = "<0.001" if seconds < 0.001 else f"{seconds:.3f}"
        yield name, curve.method, seeds, result, best, time
    for method in summary.without:
        yield name, method, f"0/{summary.seeds}", "no complete run", "-", "-"
