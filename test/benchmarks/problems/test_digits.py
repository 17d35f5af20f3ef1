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
    assert PROBLEM.score(GOOD) == PROBLEM.score(GOOD)
    assert PROBLEM.evaluate(GOOD, 100) == PROBLEM.evaluate(GOOD, 100)
    assert PROBLEM.evaluate(GOOD, 100) != PROBLEM.evaluate(GOOD, 101)
