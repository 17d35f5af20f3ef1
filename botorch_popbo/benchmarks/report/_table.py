"""The table of a comparison, as text."""

from collections.abc import Iterator, Sequence

from botorch_popbo.benchmarks.report._ranking import rank_methods
from botorch_popbo.benchmarks.report._text import aligned, estimate
from botorch_popbo.benchmarks.report.summary import Curve, Summary, standard_error

_HEADINGS = ("method", "seeds", "result", "best evaluated", "seconds")
_LEGEND = """\
a + b evaluations: initial points and suggestions
result: of the point held to be the best
best evaluated: of the best point, if all were scored
seconds: of a suggestion
* the best mean over all seeds; ± standard error"""


def table(summaries: Sequence[Summary]) -> str:
    """Tabulate where each method ended.

    Returns:
        Lines of text: mean and standard error over the seeds of the regret, or of the best value
        where the optimum is unknown; the same of the best point evaluated; and the mean time of a
        suggestion.
    """
    lines = aligned([_HEADINGS], *map(_rows, summaries), [], right_from=1)
    return "\n".join([*lines, *_ranks(summaries), _LEGEND])


def warnings(summaries: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each thing to know before trusting the numbers."""
    for summary in summaries:
        for curve in summary.curves:
            where = f"warning: {curve.method} on {summary.problem.name}"
            if curve.num_fallbacks:
                total = len(curve.seeds) * summary.trials
                yield (
                    f"{where}: {curve.num_fallbacks} of {total} suggestions were a fallback, not "
                    "the method's own"
                )
            if curve.num_failed:
                yield (
                    f"{where}: no trial succeeded in {curve.num_failed} of {len(curve.seeds)} "
                    "replications; their results, if any, are those of a failed point"
                )
            if len(curve.versions) > 1:
                yield f"{where}: trials of several versions: {'; '.join(curve.versions)}"


def _rows(summary: Summary) -> list[tuple[str, ...]]:
    rows = [_cells(summary, curve) for curve in summary.curves]
    lost = [(m, f"0/{summary.seeds}", "no complete run  ", "-", "-") for m in summary.without]
    done = f"{summary.initial} + {summary.trials} evaluations"
    title = f"{summary.problem.name}, {done}: {summary.quantity}"
    return [(title,), *rows, *lost]


def _cells(summary: Summary, curve: Curve) -> tuple[str, str, str, str, str]:
    end = estimate(curve.mean[-1], curve.error[-1])
    seconds = curve.seconds_per_suggestion
    return (
        curve.method,
        f"{len(curve.seeds)}/{summary.seeds}",
        end + (" *" if curve.method in summary.best else "  "),
        estimate(curve.best.mean(), float(standard_error(curve.best))),
        "<0.001" if seconds < 0.001 else f"{seconds:.3f}",
    )


def _ranks(summaries: Sequence[Summary]) -> list[str]:
    """One line for several problems; with one, the table says it."""
    ranks = [
        f"{r.Index} {r.mean:.2f} [{r.low:.2f}, {r.high:.2f}]"
        for r in rank_methods(summaries).itertuples()
    ]
    title = f"average rank over {len(summaries)} problems [95 % bootstrap interval]:"
    return [title, *ranks] if ranks and len(summaries) > 1 else []
