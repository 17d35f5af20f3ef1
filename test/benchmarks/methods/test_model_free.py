from collections import defaultdict, deque
from typing import Any

import numpy as np
import pytest
from ax.api.configs import ChoiceParameterConfig
from helpers.peers import MIXED, TABLE, assert_member

from botorch_popbo.benchmarks.methods._model_free import (
    Reinforce,
    action,
    mutate,
    num_actions,
    parent,
)
from botorch_popbo.benchmarks.search_space.points import (
    ParameterConfig,
    from_unit_cube,
    uniform_point,
)
from botorch_popbo.benchmarks.settings import Setting

SETTING = Setting("table", "reinforce", 3, 0)


def test_the_parent_is_the_best_of_a_sample_and_the_oldest_leaves() -> None:
    outcomes = np.random.default_rng(0).permutation(40).astype(float).tolist()
    population: deque[tuple[float, int]] = deque(maxlen=10)
    for index, outcome in enumerate(outcomes):
        population.append((outcome, index))
        drawn = np.random.default_rng(index).integers(len(population), size=3)
        expected = max(population[i] for i in drawn)[1]
        assert parent(outcomes[: index + 1], np.random.default_rng(index)) == expected


def test_parents_are_as_frequent_as_in_tournaments_of_three() -> None:
    outcomes, generator = [100.0, *range(10)], np.random.default_rng(0)
    drawn = [parent(outcomes, generator) for _ in range(4000)]
    for index in range(11):
        share = ((index**3) - (index - 1) ** 3) / 1000 if index else 0.0
        assert drawn.count(index) / 4000 == pytest.approx(share, abs=0.03)


def test_a_mutation_changes_one_parameter() -> None:
    generator = np.random.default_rng(0)
    point = uniform_point(MIXED.parameters, "mixed", 0, 0)
    changes: dict[str, set[object]] = defaultdict(set)
    for _ in range(300):
        child = mutate(MIXED.parameters, point, generator)
        assert_member(MIXED, child)
        (name,) = (name for name in point if child[name] != point[name])
        changes[name].add(child[name])
    assert changes.keys() == point.keys()
    assert changes["depth"] == {*range(-3, 5)} - {point["depth"]}
    assert changes["kernel"] == {"rbf", "linear", "poly"} - {point["kernel"]}


def test_a_parameter_of_one_value_is_left_alone() -> None:
    parameters = [ChoiceParameterConfig("a", ["x"], "str", is_ordered=False), MIXED.parameters[0]]
    for seed in range(20):
        child = mutate(parameters, {"a": "x", "rate": 0.1}, np.random.default_rng(seed))
        assert child["a"] == "x"


def test_the_policy_follows_the_score_function_estimator() -> None:
    optimizer = Reinforce(TABLE, SETTING)
    configs: Any = TABLE.parameters
    size = [len(config.values) for config in configs]
    logits, first, second = ([np.zeros(n) for n in size] for _ in range(3))
    rewards: list[float] = []
    for trial in range(20):
        point = uniform_point(TABLE.parameters, "table", 0, trial)
        optimizer.observe(point, TABLE.score(point))
        rewards.append(-TABLE.score(point))
        weights = 0.9 ** np.arange(len(rewards))[::-1]
        advantage = rewards[-1] - np.average(rewards, weights=weights)
        for i, config in enumerate(configs):
            chosen = np.eye(size[i])[[*config.values].index(point[config.name])]
            policy = np.exp(logits[i]) / np.exp(logits[i]).sum()
            slope = -advantage * (chosen - policy)
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope**2
            mean = first[i] / (1 - 0.9 ** (trial + 1))
            square = second[i] / (1 - 0.999 ** (trial + 1))
            logits[i] = logits[i] - 0.1 * mean / (np.sqrt(square) + 1e-8)
    for expected, found in zip(logits, optimizer.logits, strict=True):
        np.testing.assert_allclose(found.detach().numpy(), expected, atol=1e-9)


@pytest.mark.parametrize("config", MIXED.parameters, ids=lambda config: config.name)
def test_an_action_is_the_interval_that_was_drawn(config: ParameterConfig) -> None:
    number = num_actions(config)
    assert number == {"depth": 8, "dropout": 3, "bias": 2, "kernel": 3}.get(config.name, 10)
    for drawn in range(number):
        value = from_unit_cube([config], [(drawn + 0.5) / number])[config.name]
        assert action(config, value) == drawn


def test_what_is_rewarded_becomes_likely() -> None:
    optimizer = Reinforce(TABLE, SETTING)
    for trial in range(200):
        point = uniform_point(TABLE.parameters, "table", 0, trial)
        optimizer.observe(point, float(point["edge0"] != "conv"))
    drawn = [optimizer.suggest(trial).parameters["edge0"] for trial in range(100)]
    assert drawn.count("conv") > 80
