"""Numbers and tables as text."""

import math
from collections.abc import Sequence


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


def optional(value: float, form: str) -> str:
    """Format a number that may be unknown."""
    return "-" if math.isnan(value) else format(value, form)


def aligned(rows: Sequence[Sequence[str]], right_from: int | None = None) -> list[str]:
    """Align the columns of a table.

    Args:
        rows: The headings, then the rows.
        right_from: The first of the columns that are aligned to the right, if any.

    Returns:
        The headings, a rule, then the rows.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = len(widths) if right_from is None else right_from
    lines = [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]
