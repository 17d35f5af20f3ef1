"""Numbers and tables as text."""

import math
from collections.abc import Iterator, Sequence


def estimate(mean: float, error: float, form: str | None = None) -> str:
    """Format a mean with its standard error; of the two, what is not a number is left out.

    Without a format they have three and two digits.
    """
    spread = "" if math.isnan(mean + error) else f" ± {format(error, form or '.2g')}"
    return number(mean, form or ".3g") + spread


def number(value: float, form: str) -> str:
    """Format a number, or a dash for what is not a number."""
    return "-" if math.isnan(value) else format(value, form)


def aligned(*blocks: Sequence[Sequence[str]], right_from: int = 99) -> Iterator[str]:
    """Align the columns of rows, from some column on to the right; a rule parts the blocks.

    A row of one cell is the title of those below it, and as long as it likes.
    """
    rows = [row for block in blocks for row in block if len(row) > 1]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for index, block in enumerate(blocks):
        if index:
            yield "  ".join("-" * width for width in widths)
        for row in block:
            left = map(str.ljust, row[:right_from], widths)
            right = map(str.rjust, row[right_from:], widths[right_from:])
            yield row[0] if len(row) == 1 else "  ".join([*left, *right]).rstrip()
