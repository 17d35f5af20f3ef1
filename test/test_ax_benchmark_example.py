"""The script that runs Ax's own benchmark."""

from pathlib import Path

import pytest
from helpers.examples import import_example


def test_replications_differ_and_a_file_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = import_example(monkeypatch, "ax_benchmark")
    monkeypatch.setattr(example, "NUM_TRIALS", 13)
    monkeypatch.setattr(example, "EARLY", 12)
    path, problem = tmp_path / "runs.csv", "branin"
    for seeds in (1, 2):
        example.run(path, seeds, [problem], ["default", "paper, R-LCB"])
    rows = example.read(path)
    assert [*rows] == [(problem, m, s) for s in (0, 1) for m in ("default", "paper, R-LCB")]
    assert rows[problem, "default", 0] != rows[problem, "default", 1]
    example.tables(rows)
    row = next(r for r in capsys.readouterr().out.splitlines() if r.startswith("| branin |"))
    mean, error = map(float, row.split("|")[2].split("±"))
    assert error > 0.0
    assert mean == pytest.approx(sum(rows[problem, "default", s][0] for s in (0, 1)) / 2, rel=0.01)
