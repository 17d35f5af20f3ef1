"""Experiments whose replication is one record of numbers, and their table."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, ClassVar

import pandas as pd

from botorch_popbo.benchmarks.report.files import write_files
from botorch_popbo.benchmarks.report.text import estimate_of
from botorch_popbo.benchmarks.run.campaign import Campaign, CellT, Limited


@dataclass(frozen=True)
class Numbers:
    """What a replication measured, by name: a number of trials, or words; None if nothing counts.

    A replication that was interrupted begins anew.
    """

    numbers: dict[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Measured(Campaign[CellT, Numbers]):
    """Methods measured side by side.

    Attributes:
        cell: The dataclass of a replication; its last field is the seed.
        axes: The settings that are the values of its fields, but of the seed.
        note: What the numbers of the table are.
        reported: Of the numbers after so many trials, those in the table beside the last.
    """

    record: ClassVar = Numbers
    cell: ClassVar[type[Any]]
    axes: ClassVar[tuple[str, ...]]
    note: ClassVar[str]
    reported: ClassVar[tuple[int, ...]] = ()

    @abstractmethod
    def measure(self, cell: CellT, limited: Limited) -> Mapping[str, float]:
        """Measure a replication; what is not a number is not counted."""

    def cells(self) -> Iterator[CellT]:
        """All combinations."""
        settings = (getattr(self, name) for name in self.axes)
        axes = (one if isinstance(one, tuple) else (one,) for one in settings)
        return (self.cell(*values) for values in product(*axes, range(self.seeds)))

    def evaluate(self, cell: CellT, records: list[Numbers], limited: Limited) -> Iterator[Numbers]:
        """See the base class."""
        numbers = self.measure(cell, limited).items()
        yield Numbers({name: None if math.isnan(value) else value for name, value in numbers})

    def report(self) -> None:
        """Print and write the means of all numbers and their standard errors."""
        found = [(cell, record) for cell in self.cells() for record in self.records(cell)]
        numbers = pd.DataFrame([record.numbers for _, record in found], dtype=float)
        cells = pd.DataFrame([vars(cell) for cell, _ in found])
        kept = {*map(str, self.reported), max(filter(str.isdigit, numbers), key=int, default="")}
        shown = [name for name in numbers if name in kept or not name.isdigit()]
        text = self.text(cells.join(numbers), shown)
        write_files(self.output, "measurements", text, cells.join(numbers))

    def text(self, results: pd.DataFrame, shown: list[str]) -> str:
        """A row for each setting and method, a column for each number that is shown."""
        *keys, _ = [field.name for field in fields(self.cell)]
        groups = results.groupby(keys, sort=False)
        table = groups[shown].agg(estimate_of)
        table.insert(0, "replications", groups.size().astype(str) + f"/{self.seeds}")
        return f"mean ± standard error: {self.note}\n{table.to_string()}"
