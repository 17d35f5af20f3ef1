"""The table of a campaign, as text."""

import math
from collections.abc import Sequence

from botorch_popbo.benchmarks.summary import Curve, Summary

_HEADINGS = ("problem", "method", "seeds", "result", "s/suggestion")


def table(summaries: Sequence[Summary]) -> str:
    """Tabulate where each method ended.

    Args:
        summaries: One for each problem.

    Returns:
        Lines of text: mean and standard error over the seeds of the regret, or of the best value
        where the optimum is unknown, and the mean time of a suggestion.
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
        "* the best mean over all seeds; ± standard error",
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


def result(curve: Curve) -> str:
    """Format where a curve ended.

    Args:
        curve: The curve.

    Returns:
        The mean and, with more than one seed, its standard error.
    """
    mean, error = float(curve.mean[-1]), float(curve.error[-1])
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
    rows: list[tuple[str, ...]] = [
        (
            summary.problem.name,
            curve.method,
            f"{curve.num_seeds}/{summary.seeds}",
            result(curve) + (" *" if curve.method in summary.best else "  "),
            seconds(curve.seconds_per_suggestion),
        )
        for curve in summary.curves
    ]
    for method in summary.without:
        rows.append((summary.problem.name, method, f"0/{summary.seeds}", "no complete run  ", "-"))
    return rows


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
