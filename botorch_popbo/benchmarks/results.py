"""Where each replication ended, as comma-separated values."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from botorch_popbo.benchmarks.curves import End
from botorch_popbo.benchmarks.summary import Summary
from botorch_popbo.replacing import replacing

_COLUMNS = (
    "problem",
    "initial",
    "trials",
    "method",
    "seed",
    "result",
    "best_evaluated",
    "seconds_per_suggestion",
)


def write_results(summaries: Sequence[Summary], path: Path) -> None:
    """Write one row for each complete replication.

    The best of points that were not all scored is empty. Numbers have six digits.

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
            setting = {
                "problem": summary.problem.name,
                "initial": summary.initial,
                "trials": summary.trials,
            }
            for curve in summary.curves:
                for end in curve.ends:
                    writer.writerow({**setting, "method": curve.method, **_fields(end)})


def _fields(end: End) -> dict[str, str | int]:
    numbers = {
        "result": end.result,
        "best_evaluated": end.best_evaluated,
        "seconds_per_suggestion": end.seconds_per_suggestion,
    }
    shown = {name: "" if math.isnan(x) else f"{x:.6g}" for name, x in numbers.items()}
    return {"seed": end.seed, **shown}
