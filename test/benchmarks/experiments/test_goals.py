import json
from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments._goals import METHODS
from botorch_popbo.benchmarks.problems._goals import GOALS


def run(folder: Path, problem: str, methods: list[str], trials: int = 12) -> list[Any]:
    """The records of one seed of each method."""
    options = ["--trials", str(trials), "--seeds", "1", "--jobs", "1", "--output", str(folder)]
    assert main(["compare", problem, "--campaign", "fronts", "--methods", *methods, *options]) == 0
    return [json.loads(path.read_text()) for path in sorted(folder.glob("records/*.jsonl"))]


@pytest.mark.parametrize("problem", ["bnh", "g6"])
def test_methods_are_told_objectives_and_slacks_and_are_ranked(
    problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ["popbo-optuna", "random"]
    records = run(tmp_path / "first", problem, methods)
    printed = " ".join(capsys.readouterr().out.split())
    assert f"{problem} popbo-optuna 1/1 " in printed
    assert "average rank in 1 replications" in printed
    for record in records:
        assert [len(record[key]) for key in ("values", "slacks", "seconds")] == [12, 12, 12]
        assert len(record["slacks"][0]) == GOALS[problem]().shape[1]
    again = run(tmp_path / "second", problem, methods)
    assert [r["values"] for r in again] == [r["values"] for r in records]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_method_suggests_after_its_design(method: str, tmp_path: Path) -> None:
    (record,) = run(tmp_path, "constrained-branin-currin", [method])
    assert record["method"] == method
