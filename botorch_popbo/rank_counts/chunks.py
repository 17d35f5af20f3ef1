"""Comparing all pairs of points without holding all pairs in memory."""

from collections.abc import Iterator

_PAIRS = 2**20


def row_chunks(num_points: int) -> Iterator[slice]:
    """Split the rows of a square table of pairs.

    Args:
        num_points: Number of rows and of columns.

    Yields:
        Consecutive rows, few enough that their part of the table takes O(N) memory.
    """
    step = max(1, _PAIRS // max(1, num_points))
    for start in range(0, num_points, step):
        yield slice(start, min(start + step, num_points))
