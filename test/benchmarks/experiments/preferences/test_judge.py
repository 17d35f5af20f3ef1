import pytest
import torch

from botorch_popbo.benchmarks.experiments.preferences._judge import FUNCTIONS, Judge

PAIR = torch.tensor([[0.1, 0.55, 0.85], [0.9, 0.9, 0.1]], dtype=torch.float64)


def test_without_noise_the_lower_value_wins_and_small_differences_tie() -> None:
    first, second = FUNCTIONS["hartmann3"].evaluate_true(PAIR)
    assert first < second
    judge = Judge("hartmann3", 0.0, 0.0, seed=0)
    assert (judge.choose(PAIR, 0), judge.choose(PAIR.flip(0), 0)) == (0, 1)
    gap = float(second - first)
    assert Judge("hartmann3", 0.0, 1.01 * gap, seed=0).choose(PAIR, 0) is None
    assert Judge("hartmann3", 0.0, 0.99 * gap, seed=0).choose(PAIR, 0) == 0


def test_noise_depends_on_the_question_and_the_seed_alone() -> None:
    def answers(seed: int) -> list[int | None]:
        judge = Judge("hartmann3", 50.0, 0.0, seed)
        return [judge.choose(PAIR, question) for question in range(64)]

    assert answers(0) == answers(0)
    assert answers(0) != answers(1)
    assert {0, 1} == set(answers(0))


def test_the_optimum_has_no_regret() -> None:
    function = FUNCTIONS["hartmann6"]
    (optimum,) = torch.tensor(function._optimizers, dtype=torch.float64)
    assert Judge("hartmann6", 0.2, 0.0, 0).regret(optimum) == pytest.approx(0.0, abs=1e-4)
