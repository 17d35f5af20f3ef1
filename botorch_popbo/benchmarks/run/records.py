"""Records on disk: one line of JSON each, one file per replication.

Every line stands for itself (settings and versions included), so files can be concatenated and
read with ``pandas.read_json(path, lines=True)``.
"""

import json
import math
import os
from dataclasses import asdict
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from botorch_popbo.benchmarks.settings import Cell

_ADVICE = "correct the file, or delete it to run its trials again"


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
        content = json.loads(line, parse_float=_finite, parse_constant=_finite)
        found, record = _made(type(cell), content), _made(kind, content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{where}: not a record of a trial ({error!r}); {_ADVICE}") from None
    if found != cell:
        raise RecordError(f"{where}: expected {cell!r}, found {found!r}; {_ADVICE}")
    trial = getattr(record, "trial", index)
    if trial != index:
        raise RecordError(f"{where}: expected trial {index}, found {trial}; {_ADVICE}")
    return record


def _made(kind: type[Any], content: dict[str, Any]) -> Any:
    """A dataclass of its fields, each of the type that is declared; earlier versions wrote more."""
    hints = get_type_hints(kind)
    values = {name: content[name] for name in hints}
    for name, declared in hints.items():
        options = get_args(declared) if isinstance(declared, UnionType) else (declared,)
        types = {get_origin(option) or option for option in options}
        types |= {int} if float in types else set()
        if not isinstance(values[name], (*types,)) or isinstance(values[name], bool):
            raise TypeError(f"{name} is {values[name]!r}")
    return kind(**values)


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is not a finite number")
    return number
