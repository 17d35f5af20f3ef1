import json
from pathlib import Path

import pytest
from botorch_popbo.benchmarks.suggestion_speed import __main__ as command
from botorch_popbo.benchmarks.suggestion_speed.comparison import LARGE_SIZES
from botorch_popbo.benchmarks.suggestion_speed.measurement import Measurement
from botorch_popbo.benchmarks.suggestion_speed.table import table
from helpers.measurements import EXAMPLE


def test_the_command_prints_a_table_and_writes_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[tuple[list[int], int]] = []

    def fake(sizes: list[int], repeats: int) -> tuple[list[Measurement], list[str]]:
        asked.append((sizes, repeats))
        return [EXAMPLE], ["a note"]

    monkeypatch.setattr(command, "compare", fake)
    path = tmp_path / "times.json"
    command.main(["--sizes", "50", "25", "--large", "--repeats", "2", "--json", str(path)])
    assert asked == [([25, 50, *LARGE_SIZES], 2)]
    assert capsys.readouterr().out == table([EXAMPLE]) + "\na note\n"
    assert [Measurement(**row) for row in json.loads(path.read_text())] == [EXAMPLE]


def test_one_measurement_is_printed_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "measure", lambda *_: EXAMPLE)
    command.main(["--measure", "popbo", "25"])
    assert Measurement(**json.loads(capsys.readouterr().out)) == EXAMPLE
