"""Finished fits on disk: one line of JSON each, and as comma-separated values."""

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path

from botorch_popbo.benchmarks.errors import RecordError
from botorch_popbo.benchmarks.rank_agreement.study import Setting, Study
from botorch_popbo.benchmarks.records import append_line, read_lines
from botorch_popbo.replacing import replacing


@dataclass(frozen=True)
class Result:
    """What a fit led to.

    Attributes:
        setting: The fit.
        tau: Kendall's rank correlation with the true ranking, from -1 to 1.
        ranks: The predicted number of better points of each point of the grid.
    """

    setting: Setting
    tau: float
    ranks: tuple[int, ...]


def append_result(path: Path, result: Result) -> None:
    """Add a result to a file and wait until it is on disk.

    Args:
        path: The file, made if it does not exist; its folder has to exist.
        result: The result.

    Raises:
        OSError: If the file cannot be written.
    """
    append_line(path, {**asdict(result.setting), "tau": result.tau, "ranks": result.ranks})


def read_results(path: Path, *, repair: bool = False) -> dict[Setting, Result]:
    """Read a file of results, without a last line that was cut short.

    Args:
        path: The file; a missing one holds nothing.
        repair: Whether to cut a torn last line off the file. Only for whoever may write to it.

    Returns:
        The results by fit.

    Raises:
        RecordError: If the file is damaged elsewhere.
    """
    found = {}
    for number, line in enumerate(read_lines(path, repair=repair), start=1):
        try:
            content = json.loads(line)
            setting = Setting(**{field.name: content[field.name] for field in fields(Setting)})
            found[setting] = Result(setting, float(content["tau"]), tuple(content["ranks"]))
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path}, line {number}: not a result ({error!r})") from None
    return found


def select(study: Study, found: Mapping[Setting, Result]) -> list[Result]:
    """Choose the results of a study.

    Args:
        study: The study.
        found: All results, perhaps of other studies, too.

    Returns:
        Those that exist, in the order in which they are reported.
    """
    return [found[setting] for setting in study.settings() if setting in found]


def write_csv(results: Iterable[Result], path: Path) -> None:
    """Write one row for each result, with six digits.

    Args:
        results: The results.
        path: The file to write, replaced if it exists.

    Raises:
        OSError: If the file cannot be written.
    """
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*(field.name for field in fields(Setting)), "tau"])
        for result in results:
            writer.writerow([*astuple(result.setting), f"{result.tau:.6g}"])
