import pytest
import torch

from botorch_popbo.benchmarks.experiments.interviewers import METHODS
from botorch_popbo.benchmarks.experiments.preferences import FUNCTIONS, Interview

PAIR = torch.tensor([[0.1, 0.55, 0.85], [0.9, 0.9, 0.1]], dtype=torch.float64)
BEST = {
    "hartmann3": {"x1": 0.114614, "x2": 0.555649, "x3": 0.852547},
    "recipe": {"heat": 0.6, "spoons": 3, "grind": 10**-1.2, "milk": "oat"},
    "colour": {"red": 0.35, "green": 0.55, "blue": 0.42},
}


def judge(function: str, deviation: float, seed: int) -> Interview:
    return Interview(function, deviation, 2, 1, "popbo", seed)


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
    interviewer = METHODS[name](space, num_items, 3)
    for question in range(7 if num_items == 2 else 2):
        items = interviewer.ask()
        assert items.shape == (num_items, 4)
        assert len(items.unique(dim=0)) == num_items
        space.check(items)
        interviewer.tell(items, question % 2, 1 - question % 2)
        space.check(interviewer.best)
