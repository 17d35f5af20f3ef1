import json
from dataclasses import replace
from pathlib import Path

import pytest
from botorch_popbo.benchmarks.records import TrialRecord, append_record, read_records, records_path

from botorch_popbo.benchmarks.errors import RecordError
from botorch_popbo.benchmarks.settings import Setting

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "records.jsonl"
    for trial in range(3):
        append_record(file, SETTING, replace(RECORD, trial=trial))
    return file


def test_what_is_read_is_what_was_written(path: Path) -> None:
    assert read_records(path, SETTING) == [replace(RECORD, trial=trial) for trial in range(3)]


def test_no_file_is_no_trials(tmp_path: Path) -> None:
    assert read_records(tmp_path / "none", SETTING) == []


def test_every_line_tells_where_it_belongs(path: Path) -> None:
    fields = json.loads(path.read_text().splitlines()[-1])
    assert (fields["problem"], fields["method"], fields["initial"], fields["seed"]) == (
        ("branin", "random", 3, 1)
    )


def test_a_line_cut_anywhere_is_dropped_and_then_written_again(path: Path) -> None:
    content = path.read_bytes()
    last = len(content.splitlines(keepends=True)[-1])
    for missing in (1, 2, last // 2, last - 1):
        path.write_bytes(content[:-missing])
        assert len(read_records(path, SETTING)) == 2
        assert path.read_bytes() == content[:-missing], "reading alone must not change the file"
        assert len(read_records(path, SETTING, repair=True)) == 2
        append_record(path, SETTING, replace(RECORD, trial=2))
        assert path.read_bytes() == content


def test_a_damaged_line_is_named(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + "nonsense\n" + lines[2])
    with pytest.raises(RecordError, match=r"records.jsonl, line 2"):
        read_records(path, SETTING)


def test_a_line_without_a_field_is_named(path: Path) -> None:
    first, *others = path.read_text().splitlines(keepends=True)
    fields = json.loads(first)
    del fields["incumbent_score"]
    path.write_text("".join([json.dumps(fields) + "\n", *others]))
    with pytest.raises(RecordError, match=r"line 1: not a record .*incumbent_score"):
        read_records(path, SETTING)


def test_trials_of_another_setting_are_refused(path: Path) -> None:
    with pytest.raises(RecordError, match="expected Setting"):
        read_records(path, replace(SETTING, seed=2))


def test_a_repeated_trial_is_refused(path: Path) -> None:
    append_record(path, SETTING, replace(RECORD, trial=1))
    with pytest.raises(RecordError, match="expected trial 3, found 1"):
        read_records(path, SETTING)


def test_a_number_that_is_not_finite_is_not_written(path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        append_record(path, SETTING, replace(RECORD, trial=3, observed=float("nan")))
    assert len(read_records(path, SETTING)) == 3


def test_each_setting_has_a_file_of_its_own() -> None:
    changed = [
        replace(SETTING, problem="hartmann6"),
        replace(SETTING, method="sobol"),
        replace(SETTING, initial=4),
        replace(SETTING, seed=2),
    ]
    paths = {records_path(Path("out"), setting) for setting in (SETTING, *changed)}
    assert len(paths) == 5
