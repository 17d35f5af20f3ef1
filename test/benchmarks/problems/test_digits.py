import numpy as np
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from botorch_popbo.benchmarks.problems import PROBLEMS

GOOD = {
    "learning_rate": 0.01,
    "weight_decay": 1e-4,
    "momentum": 0.9,
    "width": 64,
    "batch_size": 32,
    "activation": "relu",
}


def test_an_evaluation_is_noisy_and_reproducible() -> None:
    problem = PROBLEMS["sklearn-digits"].load(None)
    assert problem.noisy
    assert not problem.is_exact
    assert problem.optimal_value is None
    assert problem.evaluate(GOOD, 100) == problem.evaluate(GOOD, 100)
    assert problem.evaluate(GOOD, 100) != problem.evaluate(GOOD, 101)


def test_the_score_is_a_mean_without_noise() -> None:
    problem = PROBLEMS["sklearn-digits"].load(None)
    score = problem.score(GOOD)
    assert score == problem.score(GOOD)
    observations = [problem.evaluate(GOOD, seed) for seed in range(100, 106)]
    assert abs(score - np.mean(observations)) < 4 * np.std(observations)


def test_tuning_matters() -> None:
    problem = PROBLEMS["sklearn-digits"].load(None)
    assert problem.score(GOOD) < 0.05
    assert problem.evaluate({**GOOD, "width": 8}, 0) > 1.5 * problem.score(GOOD)
    assert problem.evaluate({**GOOD, "learning_rate": 1e-4}, 0) > 0.1


def test_every_kind_of_parameter_is_there() -> None:
    kinds = {
        ("choice", None)
        if isinstance(config, ChoiceParameterConfig)
        else (config.parameter_type, config.scaling)
        for config in PROBLEMS["sklearn-digits"].load(None).parameters
        if isinstance(config, ChoiceParameterConfig | RangeParameterConfig)
    }
    assert kinds == {("choice", None), ("float", "log"), ("float", None), ("int", "log")}
