"""Trials on disk: one line of JSON each, one file per replication.

Every line stands for itself (settings and versions included), so files can be concatenated and
read with ``pandas.read_json(path, lines=True)``.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from botorch_popbo.benchmarks.errors import RecordError
from botorch_popbo.benchmarks.settings import Parameters, Setting


@dataclass(frozen=True)
class TrialRecord:
    """A finished trial.

    Attributes:
        trial: The trial's index in its replication, from 0.
        parameters: The point evaluated.
        observed: What methods are told, in the problem's unit, or None if the evaluation failed.
        score: The noise-free value of the point, or None where it was not computed.
        incumbent_score: The noise-free value of the point that the method's model held for the
            best before this trial, or None where there is no model to ask or the value is costly.
        optimizer_seconds: Wall-clock time of the suggestion, fitting included.
        evaluation_seconds: Wall-clock time of the evaluation.
        generator: What made the point, so that a fallback can be told from the method itself.
        versions: Version by package name; see :func:`~botorch_popbo.benchmarks.versions.versions`.
    """

    trial: int
    parameters: Parameters
    observed: float | None
    score: float | None
    incumbent_score: float | None
    optimizer_seconds: float
    evaluation_seconds: float
    generator: str
    versions: dict[str, str]


def records_path(output: Path, setting: Setting) -> Path:
    """The file that holds a replication's trials."""
    return output / "records" / f"{setting.stem}.jsonl"


def stuck_path(output: Path, setting: Setting) -> Path:
    """The file that says where a replication was when its process had to be ended."""
    return output / "records" / f"{setting.stem}.stuck"


def append_record(path: Path, setting: Setting, record: TrialRecord) -> None:
    """Add one trial to a replication's file and wait until it is on disk.

    Args:
        path: The file, made if it does not exist; its folder has to exist.
        setting: The replication the trial belongs to.
        record: The trial.

    Raises:
        ValueError: If a number is not finite.
        OSError: If the file cannot be written.
    """
    append_line(path, {**asdict(setting), **asdict(record)})


def append_line(path: Path, fields: Mapping[str, object]) -> None:
    """Add one line to a file and wait until it is on disk.

    Args:
        path: The file, made if it does not exist; its folder has to exist.
        fields: What the line says.

    Raises:
        ValueError: If a number is not finite.
        OSError: If the file cannot be written.
    """
    line = json.dumps(fields, allow_nan=False) + "\n"
    with path.open("ab") as file:
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())


def read_records(path: Path, setting: Setting, *, repair: bool = False) -> list[TrialRecord]:
    """Read a replication's trials, without a last line that was cut short.

    Args:
        path: The file; a missing one holds no trials.
        setting: The replication expected in the file.
        repair: Whether to cut a torn last line off the file. Only for whoever may write to it.

    Returns:
        The trials 0, 1, 2, …

    Raises:
        RecordError: If the file is damaged elsewhere, or holds other trials than expected.
    """
    lines = read_lines(path, repair=repair)
    return [_parse(line, index, path, setting) for index, line in enumerate(lines)]


def read_lines(path: Path, *, repair: bool = False) -> list[bytes]:
    """Read a file's lines, without a last one that was cut short.

    Args:
        path: The file; a missing one holds no lines.
        repair: Whether to cut a torn last line off the file. Only for whoever may write to it.

    Returns:
        The lines without their ends.
    """
    if not path.exists():
        return []
    content = path.read_bytes()
    # What follows the last newline is empty, unless the writer was killed within a line.
    *whole, torn = content.split(b"\n")
    if repair and torn:
        os.truncate(path, len(content) - len(torn))
    return whole


def _parse(line: bytes, index: int, path: Path, setting: Setting) -> TrialRecord:
    try:
        fields = json.loads(line)
        found = Setting(**{name: fields.pop(name) for name in asdict(setting)})
        record = TrialRecord(**fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(
            f"{path}, line {index + 1}: not a record of a trial ({error!r})"
        ) from None
    if found != setting:
        raise RecordError(f"{path}, line {index + 1}: expected {setting}, found {found}")
    if record.trial != index:
        raise RecordError(f"{path}, line {index + 1}: expected trial {index}, found {record.trial}")
    return record
