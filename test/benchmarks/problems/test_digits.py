import numpy as np

from botorch_popbo.benchmarks.problems import PROBLEMS

PROBLEM = PROBLEMS["sklearn-digits"].load(None)
GOOD = {
    "learning_rate": 0.01,
    "weight_decay": 1e-4,
    "momentum": 0.9,
    "width": 64,
    "batch_size": 32,
    "activation": "relu",
}


def test_an_evaluation_is_noisy_and_reproducible() -> None:
    assert PROBLEM.noisy
    assert not PROBLEM.is_exact
    assert PROBLEM.optimal_value is None
    assert PROBLEM.evaluate(GOOD, 100) == PROBLEM.evaluate(GOOD, 100)
    assert PROBLEM.evaluate(GOOD, 100) != PROBLEM.evaluate(GOOD, 101)


def test_the_score_is_a_mean_without_noise() -> None:
    score = PROBLEM.score(GOOD)
    assert score == PROBLEM.score(GOOD)
    observations = [PROBLEM.evaluate(GOOD, seed) for seed in range(100, 106)]
    assert abs(score - np.mean(observations)) < 4 * np.std(observations)
