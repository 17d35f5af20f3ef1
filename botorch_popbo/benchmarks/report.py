"""The table of a campaign, as text."""

import math
from collections.abc import Sequence

from botorch_popbo.benchmarks.curves import Curve
from botorch_popbo.benchmarks.ranking import Ranking, rank_methods
from botorch_popbo.benchmarks.summary import Summary

_HEADINGS = ("problem", "method", "seeds", "result", "best evaluated", "s/suggestion")


def table(summaries: Sequence[Summary]) -> str:
    """Tabulate where each method ended.

    Args:
        summaries: One for each problem.

    Returns:
        Lines of text: mean and standard error over the seeds of the regret, or of the best value
        where the optimum is unknown; the same of the best point evaluated; and the mean time of a
        suggestion.
    """
    blocks = [_block(summary) for summary in summaries]
    columns = zip(_HEADINGS, *(row for block in blocks for row in block), strict=True)
    widths = [max(map(len, column)) for column in columns]
    rule = "  ".join("-" * width for width in widths)
    lines = [_line(_HEADINGS, widths)]
    for block in blocks:
        lines += [rule, *(_line(row, widths) for row in block)]
    lines += [
        rule,
        *(_note(summary) for summary in summaries),
        *_ranking(rank_methods(summaries)),
        "* the best mean over all seeds; ± standard error",
        "result: of the point held for the best; best evaluated: of the best point, if all were "
        "scored",
    ]
    return "\n".join(lines)


def warnings(summaries: Sequence[Summary]) -> list[str]:
    """List what a reader has to know before trusting the numbers.

    Args:
        summaries: One for each problem.

    Returns:
        One line for each finding.
    """
    found = []
    for summary in summaries:
        for curve in summary.curves:
            where = f"{curve.method} on {summary.problem.name}"
            if curve.num_fallbacks:
                total = curve.num_seeds * summary.trials
                found.append(
                    f"warning: {where}: {curve.num_fallbacks} of {total} suggestions were a "
                    f"fallback, not the method's own"
                )
            if len(curve.versions) > 1:
                found.append(
                    f"warning: {where}: trials of several versions: {'; '.join(curve.versions)}"
                )
    return found


def estimate(mean: float, error: float) -> str:
    """Format a mean.

    Args:
        mean: The mean, or not a number.
        error: Its standard error, or not a number.

    Returns:
        As many of the two as there are, or a dash.
    """
    if math.isnan(mean):
        return "-"
    return f"{mean:.3g}" if math.isnan(error) else f"{mean:.3g} ± {error:.2g}"


def seconds(value: float) -> str:
    """Format a duration.

    Args:
        value: The duration in seconds.

    Returns:
        The number of seconds to the millisecond.
    """
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _block(summary: Summary) -> list[tuple[str, ...]]:
    rows = [_row(summary, curve) for curve in summary.curves]
    for method in summary.without:
        name, seeds = summary.problem.name, f"0/{summary.seeds}"
        rows.append((name, method, seeds, "no complete run  ", "-", "-"))
    return rows


def _row(summary: Summary, curve: Curve) -> tuple[str, ...]:
    end = estimate(curve.mean[-1], curve.error[-1])
    return (
        summary.problem.name,
        curve.method,
        f"{curve.num_seeds}/{summary.seeds}",
        end + (" *" if curve.method in summary.best else "  "),
        estimate(curve.best_evaluated, curve.best_evaluated_error),
        seconds(curve.seconds_per_suggestion),
    )


def _ranking(ranking: Ranking) -> list[str]:
    """One line for several problems; with one, the table says it."""
    if not ranking.ranks or ranking.problems < 2:
        return []
    ranks = (f"{r.method} {r.mean:.2f} [{r.low:.2f}, {r.high:.2f}]" for r in ranking.ranks)
    title = f"average rank over {ranking.problems} problems [95 % bootstrap interval]"
    return [f"{title}: {', '.join(ranks)}"]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _note(summary: Summary) -> str:
    return (
        f"{summary.problem.name}: {summary.quantity} after {summary.initial} initial points and "
        f"{summary.trials} evaluations"
    )
