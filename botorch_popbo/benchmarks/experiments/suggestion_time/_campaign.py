"""Methods times numbers of points, one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments.suggestion_time._loops import LOOPS
from botorch_popbo.benchmarks.experiments.suggestion_time._measurement import (
    Measurement,
    measure_apart,
)
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
        from botorch_popbo.benchmarks.experiments.suggestion_time._table import table
        from botorch_popbo.benchmarks.report._files import frame, write_files

        results = frame(self)
        write_files(self.output, "suggestion time", table(results), results)
