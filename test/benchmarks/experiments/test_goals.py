import json
from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments.goals import METHODS


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
    assert f"{problem} popbo-optuna 12 1/1 " in printed
    assert "average rank in 1 replications" in printed
    for numbers in (record["numbers"] for record in records):
        assert numbers.pop("seconds") > 0.0
        assert [*numbers] == [str(trial) for trial in range(1, 13)]
        losses = [loss for loss in numbers.values() if loss is not None]
        assert losses == sorted(losses, reverse=True)
    again = run(tmp_path / "second", problem, methods)
    for record in again:
        del record["numbers"]["seconds"]
    assert again == records


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_method_suggests_after_its_design(method: str, tmp_path: Path) -> None:
    (record,) = run(tmp_path, "constrained-branin-currin", [method])
    assert record["method"] == method
