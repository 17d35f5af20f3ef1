"""Methods times numbers of points, one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments.suggestion_time._loops import LOOPS, REFERENCE
from botorch_popbo.benchmarks.experiments.suggestion_time._measurement import (
    Measurement,
    measure_apart,
)
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.run._keys import Key, names
from botorch_popbo.benchmarks.run._limit import LimitExceeded
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell

_SIZES = (25, 50, 100, 200, 500, 1000, 5000)


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
        "methods": names(LOOPS),
        "seeds": Key(int, 3, lambda _: 1, least=1),
        "limit": Key(float, 60.0, least=1e-3),
        "sizes": Key(int, _SIZES, lambda sizes: (min(sizes),), least=1),
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
        """Print and write time and memory of each method and size."""
        results = frame(self)
        write_files(self.output, "suggestion time", table(results), results)


def table(results: pd.DataFrame) -> str:
    """Lay out the repetition of the median total of each method and size.

    The ratio is to the Gaussian process.
    """
    numbers = ["fit", "acquisition", "total", "peak_mib"]
    ordered = results.astype(dict.fromkeys(numbers, float)).sort_values("total", kind="stable")
    groups = ordered.groupby(["num_points", "method"], sort=False)
    median = groups.apply(lambda group: group.iloc[len(group) // 2][numbers]).sort_index()
    sizes = median.index.get_level_values("num_points")
    reference = median["total"].reindex([(size, REFERENCE) for size in sizes]).to_numpy()
    laid_out = median.assign(ratio=median["total"] / reference)
    text = laid_out.to_string(float_format="%.3f", na_rep="-")
    note = "seconds of the repetition of the median total; ratio: to the Gaussian process"
    return f"{text}\n{note}"
