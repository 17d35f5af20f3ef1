"""Records on disk: one line of JSON each, one file per replication.

Every line stands for itself (settings and versions included), so files can be concatenated and
read with ``pandas.read_json(path, lines=True)``.
"""

import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from botorch_popbo.benchmarks.settings import Cell

_ADVICE = "mend the file, or delete it to run its trials again"


class RecordError(RuntimeError):
    """A file of records does not hold what its name promises; the message names the file."""


def append_record(path: Path, cell: Cell, record: Any) -> None:
    """Add a record to a replication's file and wait until it is on disk; it must be finite."""
    line = json.dumps({**vars(cell), **asdict(record)}, allow_nan=False) + "\n"
    with path.open("ab") as file:
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())


def read_records(path: Path, cell: Cell, kind: type[Any], *, repair: bool = False) -> list[Any]:
    """Read a replication's records, without a last line that was cut short.

    ``kind`` is the dataclass of a record; if it counts its trials, they are 0, 1, 2, … To repair is
    to cut a torn last line off the file, only for whoever may write to it. A file that is damaged
    elsewhere, or holds another replication's records, raises RecordError.
    """
    if not path.exists():
        return []
    content = path.read_bytes()
    # What follows the last newline is empty, unless the writer was killed within a line.
    *whole, torn = content.split(b"\n")
    if repair and torn:
        os.truncate(path, len(content) - len(torn))
    return [
        _parse(line, index, f"{path}, line {index + 1}", cell, kind)
        for index, line in enumerate(whole)
    ]


def _parse(line: bytes, index: int, where: str, cell: Cell, kind: type[Any]) -> Any:
    try:
        said = json.loads(line)
        found = type(cell)(**{name: said[name] for name in vars(cell)})
        # Earlier versions recorded more.
        record = kind(**{field.name: said[field.name] for field in fields(kind)})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{where}: not a record of a trial ({error!r}); {_ADVICE}") from None
    if found != cell:
        raise RecordError(f"{where}: expected {cell!r}, found {found!r}; {_ADVICE}")
    trial = getattr(record, "trial", index)
    if trial != index:
        raise RecordError(f"{where}: expected trial {index}, found {trial}; {_ADVICE}")
    return record
