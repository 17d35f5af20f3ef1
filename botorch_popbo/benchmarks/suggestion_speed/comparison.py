"""All methods measured at all sizes, each in a process of its own."""

import importlib.util
import sys
from collections.abc import Sequence

from botorch_popbo.benchmarks.suggestion_speed.loops import DEFAULT, LOOPS, OPTUNA
from botorch_popbo.benchmarks.suggestion_speed.measurement import (
    PATIENCE,
    Measurement,
    measure_apart,
)

#: Numbers of points at which only the default preset is measured.
LARGE_SIZES = (10**4, 10**5, 10**6)


def compare(sizes: Sequence[int], repeats: int) -> tuple[list[Measurement], list[str]]:
    """Measure all methods, of the largest sizes only the default preset.

    Args:
        sizes: Numbers of evaluated points, rising.
        repeats: Number of suggestions of each method at each size.

    Returns:
        The measurements by size, and notes on what is missing.
    """
    methods, rows, notes = list(LOOPS), list[Measurement](), list[str]()
    if importlib.util.find_spec("optuna") is None:
        methods.remove(OPTUNA)
        notes.append(f"{OPTUNA}: optuna is not installed")
    for size in sizes:
        for method in list(methods):
            if size in LARGE_SIZES and method != DEFAULT:
                continue
            found = measure_apart(method, size, repeats)
            print(f"N = {size}, {method}: {_summary(found)}", file=sys.stderr, flush=True)
            if isinstance(found, Measurement):
                rows.append(found)
            if isinstance(found, str) or found.total > PATIENCE:
                methods.remove(method)
                reason = found if isinstance(found, str) else f"longer than {PATIENCE:.0f} s"
                notes.append(f"{method}: {reason} at N = {size}, larger sizes left out")
    return rows, notes


def _summary(found: Measurement | str) -> str:
    return found if isinstance(found, str) else f"{found.total:.3f} s"
