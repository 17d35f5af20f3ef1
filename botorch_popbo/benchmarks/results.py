"""Where each method ended, as comma-separated values."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from botorch_popbo.benchmarks.replacing import replacing
from botorch_popbo.benchmarks.summary import Curve, Summary

_COLUMNS = (
    "problem",
    "method",
    "seeds",
    "mean",
    "standard_error",
    "best_evaluated_mean",
    "best_evaluated_standard_error",
    "seconds_per_suggestion",
)


def write_results(summaries: Sequence[Summary], path: Path) -> None:
    """Write one row for each problem and method.

    A method without a complete replication has 0 seeds. What does not apply (a standard error of
    one seed, the best of points that were not all scored) is empty. Numbers have six digits.

    Args:
        summaries: One for each problem.
        path: The file to write, replaced if it exists.

    Raises:
        OSError: If the file cannot be written.
    """
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        for summary in summaries:
            for curve in summary.curves:
                writer.writerow({"problem": summary.problem.name, **_fields(curve)})
            for method in summary.without:
                writer.writerow({"problem": summary.problem.name, "method": method, "seeds": 0})


def _fields(curve: Curve) -> dict[str, str | int]:
    numbers = {
        "mean": curve.mean[-1],
        "standard_error": curve.error[-1],
        "best_evaluated_mean": curve.best_evaluated,
        "best_evaluated_standard_error": curve.best_evaluated_error,
        "seconds_per_suggestion": curve.seconds_per_suggestion,
    }
    shown = {name: "" if math.isnan(x) else f"{x:.6g}" for name, x in numbers.items()}
    return {"method": curve.method, "seeds": curve.num_seeds, **shown}
