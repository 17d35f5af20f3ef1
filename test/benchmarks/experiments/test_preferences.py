import json
from pathlib import Path
from typing import Any

import pytest
import torch

from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.experiments._interviewers import METHODS
from botorch_popbo.benchmarks.experiments._preferences import FUNCTIONS, Interview

PAIR = torch.tensor([[0.1, 0.55, 0.85], [0.9, 0.9, 0.1]], dtype=torch.float64)
BEST = {
    "hartmann3": {"x1": 0.114614, "x2": 0.555649, "x3": 0.852547},
    "recipe": {"heat": 0.6, "spoons": 3, "grind": 10**-1.2, "milk": "oat"},
    "colour": {"red": 0.35, "green": 0.55, "blue": 0.42},
}


def judge(function: str, deviation: float, seed: int) -> Interview:
    return Interview(function, deviation, 2, "popbo", seed)


def test_without_noise_the_lower_value_wins_and_the_optimum_has_no_regret() -> None:
    exact = judge("hartmann3", 0.0, 0)
    assert (exact.choose(PAIR, 0), exact.choose(PAIR.flip(0), 0)) == ((0, 1), (1, 0))
    for name, values in BEST.items():
        optimum = FUNCTIONS[name].space.encode(values)
        assert judge(name, 0.2, 0).regret(optimum) == pytest.approx(0.0, abs=1e-4)


def test_noise_depends_on_the_question_and_the_seed_alone() -> None:
    def answers(seed: int) -> list[tuple[int, int]]:
        return [judge("hartmann3", 50.0, seed).choose(PAIR, question) for question in range(64)]

    assert answers(0) == answers(0) != answers(1)
    assert {(0, 1), (1, 0)} == set(answers(0))


@pytest.mark.usefixtures("rng_untouched")
@pytest.mark.parametrize("num_items", [2, 4])
@pytest.mark.parametrize("name", METHODS)
def test_questions_are_different_points_of_the_space(name: str, num_items: int) -> None:
    if name in ("popbo-page", "optuna-preferential-gp"):
        pytest.importorskip("optuna_dashboard")
    space = FUNCTIONS["recipe"].space
    interviewer = METHODS[name].start(space, num_items, 3)
    for question in range(7 if num_items == 2 else 2):
        items = interviewer.ask()
        assert items.shape == (num_items, 4)
        assert len(items.unique(dim=0)) == num_items
        space.check(items)
        interviewer.tell(items, question % 2, 1 - question % 2)
        space.check(interviewer.best)


def run(output: Path, answers: str, methods: list[str]) -> dict[str, list[dict[str, Any]]]:
    campaign = output / "c.toml"
    output.mkdir(exist_ok=True)
    problems = 'experiment = "preferences"\nproblems = ["hartmann3"]\nseeds = 1\n'
    campaign.write_text(f"{problems}answers = {answers}\nmethods = {json.dumps(methods)}")
    options = ["--campaign", str(campaign), "--jobs", "1", "--output", str(output)]
    assert main(["compare", *options]) == 0
    paths = sorted(output.glob("records/*.jsonl"))
    return {path.stem: [*map(json.loads, path.read_text().splitlines())] for path in paths}


def test_an_interview_goes_on_as_if_it_had_not_been_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optuna_dashboard")
    methods = ["popbo", "chance", "popbo-page"]
    whole = run(tmp_path / "whole", "[3, 8]", methods)
    assert "hartmann3 0.2 2 popbo 1/1 " in " ".join(capsys.readouterr().out.split())
    run(tmp_path / "parts", "[7]", methods)
    parts = run(tmp_path / "parts", "[8]", methods)
    for stem, answers in whole.items():
        assert [a["items"] for a in parts[stem]] == [a["items"] for a in answers]
        assert min(answer["regret"] for answer in answers) >= -1e-4  # tabulated to five digits
    assert (tmp_path / "whole" / "results.csv").read_text().count("\n") == 1 + 8 * 3
