import json
from pathlib import Path
from typing import Any

import pytest

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments.preferences._interviewers import METHODS


def run(output: Path, answers: str, methods: list[str]) -> dict[str, list[dict[str, Any]]]:
    campaign = output / "c.toml"
    output.mkdir(exist_ok=True)
    problems = 'experiment = "preferences"\nproblems = ["hartmann3"]\nseeds = 1\n'
    campaign.write_text(f"{problems}answers = {answers}\nmethods = {json.dumps(methods)}")
    options = ["--campaign", str(campaign), "--jobs", "1", "--output", str(output)]
    assert main(["compare", *options]) == 0
    paths = sorted(output.glob("records/*.jsonl"))
    return {path.stem: [*map(json.loads, path.read_text().splitlines())] for path in paths}


def test_every_method_is_in_the_table_and_its_regrets_are_its_judges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = run(tmp_path, "[3, 7]", list(METHODS))
    printed = capsys.readouterr().out
    assert all(f" {method} " in printed for method in METHODS)
    assert len(records) == len(METHODS)
    for answers in records.values():
        assert [answer["trial"] for answer in answers] == list(range(7))
        assert min(answer["regret"] for answer in answers) >= -1e-4  # tabulated to five digits
    assert (tmp_path / "results.csv").read_text().count("\n") == 1 + 7 * len(METHODS)


def test_an_interview_goes_on_as_if_it_had_not_been_interrupted(tmp_path: Path) -> None:
    methods = ["popbo", "chance"]
    whole = run(tmp_path / "whole", "[8]", methods)
    run(tmp_path / "parts", "[7]", methods)
    parts = run(tmp_path / "parts", "[8]", methods)
    for stem, answers in whole.items():
        assert [a["items"] for a in parts[stem]] == [a["items"] for a in answers]
