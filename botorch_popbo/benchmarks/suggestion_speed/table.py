"""The table of measurements."""

from collections.abc import Sequence

from botorch_popbo.benchmarks.suggestion_speed.loops import reference
from botorch_popbo.benchmarks.suggestion_speed.measurement import Measurement


def table(rows: Sequence[Measurement]) -> str:
    """Lay out measurements.

    Args:
        rows: Measurements.

    Returns:
        One line for each after a line of titles.
    """
    seconds = {(row.method, row.num_points): row.total for row in rows}
    titles = ["N", "method", "fit/s", "acq/s", "total/s", "/ GP", "MiB", "matrix"]
    lines = [titles] + [
        [
            str(row.num_points),
            row.method,
            _number(row.fit, ".3f"),
            _number(row.acquisition, ".3f"),
            f"{row.total:.3f}",
            _number(_ratio(row.total, seconds.get((reference(row.method), row.num_points))), ".3f"),
            f"{row.peak_mib:.0f}",
            _number(row.matrix, ".0%"),
        ]
        for row in rows
    ]
    return "\n".join(
        f"{size:>8} {method:<15}" + "".join(f"{cell:>10}" for cell in cells)
        for size, method, *cells in lines
    )


def _ratio(value: float, reference: float | None) -> float | None:
    return None if reference is None else value / reference


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
