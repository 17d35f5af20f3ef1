import json
from dataclasses import replace
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.run.records import RecordError, append_record, read_records
from botorch_popbo.benchmarks.settings import Setting, TrialRecord

from ..conftest import trial

SETTING = Setting(problem="branin", method="random", initial=3, seed=1)
POINT = {"a": 0.1 + 0.2, "b": 3, "c": "x", "d": True}
RECORDS = [trial(i, 1 / 3, None, parameters=POINT, incumbent_score=2 / 3) for i in range(3)]


def read(path: Path, *, repair: bool = False) -> list[TrialRecord]:
    return read_records(path, SETTING, TrialRecord, repair=repair)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "records.jsonl"
    for record in RECORDS:
        append_record(file, SETTING, record)
    return file


def test_what_is_read_is_what_was_written(path: Path) -> None:
    assert read(path) == RECORDS
    assert read(path.with_name("none")) == []
    with pytest.raises(ValueError, match="JSON"):
        append_record(path, SETTING, replace(RECORDS[0], trial=3, observed=float("nan")))
    assert read(path) == RECORDS


def test_a_line_cut_anywhere_is_dropped_and_then_written_again(path: Path) -> None:
    content = path.read_bytes()
    last = len(content.splitlines(keepends=True)[-1])
    for missing in (1, 2, last // 2, last - 1):
        path.write_bytes(content[:-missing])
        assert len(read(path)) == 2
        assert path.read_bytes() == content[:-missing], "reading alone must not change the file"
        assert len(read(path, repair=True)) == 2
        append_record(path, SETTING, RECORDS[2])
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{0}", "nonsense\n", "{2}"], "records.jsonl, line 2: not a record .*delete it"),
        (["{x}", "{1}"], "line 1: not a record .*'incumbent_score'"),
        (["{0}", "{1}", "{2}", "{1}"], "expected trial 3, found 1; correct"),
        (["{other}"], "expected Setting.*; correct"),
    ],
)
def test_a_damaged_file_is_named(path: Path, lines: list[str], message: str) -> None:
    written = path.read_text().splitlines(keepends=True)
    changed = {
        "x": written[0].replace("incumbent_score", "x"),
        "other": written[0].replace('"seed": 1', '"seed": 2'),
    }
    path.write_text("".join(line.format(*written, **changed) for line in lines))
    with pytest.raises(RecordError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("score", '"0.5"'),
        ("score", "NaN"),
        ("observed", "-Infinity"),
        ("observed", "1e999"),
        ("observed", "true"),
        ("optimizer_seconds", "null"),
        ("parameters", "[]"),
        ("parameters", '{"a": NaN}'),
        ("generator", "3"),
        ("seed", "1.0"),
    ],
)
def test_what_is_of_another_type_is_named(path: Path, name: str, value: str) -> None:
    first, second, third = path.read_text().splitlines()
    second = json.dumps(json.loads(second) | {name: "here"}).replace('"here"', value)
    path.write_text("\n".join((first, second, third, "")))
    with pytest.raises(RecordError, match=r"records.jsonl, line 2: not a record .*delete it"):
        read(path)
