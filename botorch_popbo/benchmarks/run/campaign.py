"""What an experiment has to say, so that a campaign can run, resume and report it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from botorch_popbo.benchmarks.run.keys import Key
from botorch_popbo.benchmarks.run.records import read_records
from botorch_popbo.benchmarks.settings import Cell

CellT = TypeVar("CellT", bound=Cell)
RecordT = TypeVar("RecordT")
#: Makes a context that limits the time of a call into the method.
Limited = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, kw_only=True)
class Campaign(ABC, Generic[CellT, RecordT]):
    """An experiment with its settings.

    Attributes:
        methods: Names of methods, in the order in which they are reported.
        seeds: The number of replications of each method on each task.
        jobs: The number of replications that run at the same time.
        output: The folder of records, tables and plots.
        limit: The time limit, in seconds, of one call into a method.
        data: The folder of table files, or None.
        keys: What campaign files may say of the experiment, by name.
        record: The dataclass of a record.
    """

    methods: tuple[str, ...]
    seeds: int
    jobs: int
    output: Path
    limit: float = 600.0
    data: Path | None = None

    keys: ClassVar[Mapping[str, Key]]
    record: ClassVar[type[Any]]

    @classmethod
    def settled(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Complete what is asked for, so that it means the same from any folder and later."""
        return values

    @classmethod
    def planned(cls, *, data: Path | None, **values: Any) -> Self:
        """Make a campaign of what a campaign file and the command line say.

        Args:
            data: The folder of table files, or None.
            **values: A value for each of ``keys``, and ``jobs`` and ``output``.

        Raises:
            UsageError: If a table is missing.
        """
        return cls(data=data, **values)

    def notes(self) -> Iterator[str]:
        """Lines about what the user brought along: what was made of it, and what has changed."""
        yield from ()

    @abstractmethod
    def cells(self) -> Iterator[CellT]:
        """Yield the replications, in the order in which they are started and reported."""

    def num_records(self, cell: CellT) -> int:
        """The number of records of a complete replication."""
        return 1

    @abstractmethod
    def evaluate(self, cell: CellT, records: list[RecordT], limited: Limited) -> Iterator[RecordT]:
        """Yield the records that a replication lacks, as many as are asked for.

        Each is on disk when the next is asked for. May raise anything.

        Args:
            cell: The replication.
            records: Those that it has.
            limited: Makes a context that limits the time of a call into the method.
        """

    @abstractmethod
    def report(self) -> None:
        """Print what the records say, and write it to the output folder.

        Raises:
            RecordError: If records are damaged.
            OSError: If a file cannot be written.
        """

    def path(self, cell: CellT) -> Path:
        """The file of a replication's records."""
        return self.output / "records" / f"{cell.stem}.jsonl"

    def records(self, cell: CellT, *, repair: bool = False) -> list[RecordT]:
        """Read a replication's records; raises RecordError if they are damaged."""
        return read_records(self.path(cell), cell, self.record, repair=repair)

    def is_complete(self, cell: CellT) -> bool:
        """Whether no record of a replication is missing; raises RecordError if one is damaged."""
        return len(self.records(cell)) >= self.num_records(cell)
