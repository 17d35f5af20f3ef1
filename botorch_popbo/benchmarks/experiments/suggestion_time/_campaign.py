"""Methods times numbers of points, one after the other."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar

import pandas as pd

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments.suggestion_time._loops import (
    AX_REFERENCE,
    LOOPS,
    REFERENCE,
)
from botorch_popbo.benchmarks.experiments.suggestion_time._measurement import (
    Measurement,
    measure_apart,
)
from botorch_popbo.benchmarks.report._text import aligned, number
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell


@dataclass(frozen=True)
class Size(Cell):
    """A method that makes suggestions from some number of evaluated points."""

    method: str
    num_points: int

    @property
    def task(self) -> str:
        return f"{self.num_points} points"


@dataclass(frozen=True, kw_only=True)
class SuggestionTime(Campaign[Size, Measurement]):
    """Time and memory of one suggestion, ``seeds`` times for each method and size.

    A method that takes longer than the limit, or fails, is spared larger sizes.
    """

    sizes: tuple[int, ...]

    registry: ClassVar = LOOPS
    keys: ClassVar = {
        "methods": _keys.names(LOOPS),
        "seeds": _keys.count(3, smoke=1),
        "limit": _keys.seconds(60.0),
        "sizes": _keys.counts(
            (25, 50, 100, 200, 500, 1000, 5000), smoke=lambda sizes: (min(sizes),)
        ),
    }
    record: ClassVar = Measurement

    def cells(self) -> Iterator[Size]:
        for size in sorted(set(self.sizes)):
            for method in self.methods:
                yield Size(method, size)

    def num_records(self, cell: Size) -> int:
        return self.seeds

    def evaluate(
        self, cell: Size, records: list[Measurement], limited: Limited
    ) -> Iterator[Measurement]:
        library = LOOPS[cell.method].library
        if library is not None and find_spec(library) is None:
            raise ImportError(f"{library} is not installed")
        for size in sorted(size for size in set(self.sizes) if size < cell.num_points):
            smaller = self.records(Size(cell.method, size))
            if not smaller or self._is_slow(smaller[-1]):
                raise UsageError(f"left out, for it failed or took too long on {size} points")
        missing = self.seeds - len(records)
        if not records or not self._is_slow(records[-1]):
            records = measure_apart(cell.method, cell.num_points, len(records), missing, self.limit)
            yield from records
        slowest = records[-1].total
        raise LimitExceeded(f"a suggestion took {slowest:.0f} s, longer than --limit")

    def _is_slow(self, record: Measurement) -> bool:
        return record.total > self.limit

    def report(self) -> None:
        from botorch_popbo.benchmarks.report._files import frame, write_files

        results = frame(self)
        write_files(self.output, "suggestion time", table(results), results)


def table(results: pd.DataFrame) -> str:
    """Lay out the repetition of the median total of each method and size.

    The ratio is to the Gaussian process, through Ax where the method is.
    """
    groups = results.astype({"fit": float, "acquisition": float, "matrix": float}).groupby(
        ["num_points", "method"], sort=False
    )
    chosen = [group.sort_values("total").iloc[len(group) // 2] for _, group in groups]
    total = {(row["method"], row["num_points"]): row["total"] for row in chosen}
    rows = []
    for row in chosen:
        size, method = row["num_points"], row["method"]
        reference = AX_REFERENCE if method.startswith("ax-") else REFERENCE
        ratio = row["total"] / total.get((reference, size), math.nan)
        seconds = (number(float(x), ".3f") for x in (*row[["fit", "acquisition", "total"]], ratio))
        memory, matrix = f"{row['peak_mib']:.0f}", number(float(row["matrix"]), ".0%")
        rows.append((str(size), method, *seconds, memory, matrix))
    headings = ("N", "method", "fit/s", "acq/s", "total/s", "/ GP", "MiB", "matrix")
    note = "the repetition of the median total; / GP: to the Gaussian process of the same kind"
    return "\n".join([*aligned([headings], rows, right_from=2), note])
