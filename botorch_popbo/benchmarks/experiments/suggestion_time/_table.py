"""The table of measurements."""

import pandas as pd

from botorch_popbo.benchmarks.experiments.suggestion_time._loops import AX_REFERENCE, REFERENCE
from botorch_popbo.benchmarks.report._text import aligned, optional


def table(results: pd.DataFrame) -> str:
    """Lay out the repetition of the median total of each method and size.

    Args:
        results: A row for each measurement.

    Returns:
        Lines of text. The ratio is to the Gaussian process, through Ax where the method is.
    """
    results = results.astype({"fit": float, "acquisition": float, "matrix": float})
    groups = results.groupby(["num_points", "method"], sort=False)
    chosen = [group.sort_values("total").iloc[len(group) // 2] for _, group in groups]
    total = {(row["method"], row["num_points"]): row["total"] for row in chosen}
    rows = [("N", "method", "fit/s", "acq/s", "total/s", "/ GP", "MiB", "matrix")]
    for row in chosen:
        reference = AX_REFERENCE if row["method"].startswith("ax-") else REFERENCE
        ratio = row["total"] / total.get((reference, row["num_points"]), float("nan"))
        numbers = (row["fit"], row["acquisition"], row["total"], ratio)
        rows.append(
            (
                *(str(row["num_points"]), row["method"]),
                *(optional(float(number), ".3f") for number in numbers),
                *(f"{row['peak_mib']:.0f}", optional(float(row["matrix"]), ".0%")),
            )
        )
    note = "the repetition of the median total; / GP: to the Gaussian process of the same kind"
    return "\n".join([*aligned(rows, right_from=2), note])
