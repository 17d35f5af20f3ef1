import json
from dataclasses import replace
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.run.records import RecordError, append_record, read_records
from botorch_popbo.benchmarks.settings import Setting, TrialRecord

SETTING = Setting(problem="branin", method="random", initial=3, seed=1)
RECORD = TrialRecord(
    trial=0,
    parameters={"a": 0.1 + 0.2, "b": 3, "c": "x", "d": True},
    observed=1 / 3,
    score=None,
    incumbent_score=2 / 3,
    optimizer_seconds=0.5,
    evaluation_seconds=0.25,
    generator="random",
    versions={"torch": "2"},
)


def read(path: Path, setting: Setting = SETTING, *, repair: bool = False) -> list[TrialRecord]:
    return read_records(path, setting, TrialRecord, repair=repair)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "records.jsonl"
    for trial in range(3):
        append_record(file, SETTING, replace(RECORD, trial=trial))
    return file


def test_what_is_read_is_what_was_written(path: Path) -> None:
    assert read(path) == [replace(RECORD, trial=trial) for trial in range(3)]
    assert read(path.with_name("none")) == []


def test_a_line_cut_anywhere_is_dropped_and_then_written_again(path: Path) -> None:
    content = path.read_bytes()
    last = len(content.splitlines(keepends=True)[-1])
    for missing in (1, 2, last // 2, last - 1):
        path.write_bytes(content[:-missing])
        assert len(read(path)) == 2
        assert path.read_bytes() == content[:-missing], "reading alone must not change the file"
        assert len(read(path, repair=True)) == 2
        append_record(path, SETTING, replace(RECORD, trial=2))
        assert path.read_bytes() == content


OTHER = replace(SETTING, seed=2)


@pytest.mark.parametrize(
    ("lines", "setting", "message"),
    [
        (["{0}", "nonsense\n", "{2}"], SETTING, "records.jsonl, line 2: not a record .*delete it"),
        (["{x}", "{1}"], SETTING, "line 1: not a record .*'incumbent_score'"),
        (["{0}", "{1}", "{2}", "{1}"], SETTING, "expected trial 3, found 1; mend"),
        (["{0}"], OTHER, "expected Setting.*; mend"),
    ],
)
def test_a_damaged_file_is_named(
    path: Path, lines: list[str], setting: Setting, message: str
) -> None:
    written = path.read_text().splitlines(keepends=True)
    other = written[0].replace("incumbent_score", "x")
    path.write_text("".join(line.format(*written, x=other) for line in lines))
    with pytest.raises(RecordError, match=message):
        read(path, setting)


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
    whole = json.loads(second) | {name: "here"}
    second = json.dumps(whole).replace('"here"', value)
    path.write_text("\n".join((first, second, third, "")))
    with pytest.raises(RecordError, match=r"records.jsonl, line 2: not a record .*delete it"):
        read(path)


def test_a_number_that_is_not_finite_is_not_written(path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        append_record(path, SETTING, replace(RECORD, trial=3, observed=float("nan")))
    assert len(read(path)) == 3
