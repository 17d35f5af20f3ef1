from typing import Any

import numpy as np
import pytest
from helpers.peers import MIXED, TABLE

from botorch_popbo.benchmarks.methods._reinforce import Reinforce, action, num_actions
from botorch_popbo.benchmarks.search_space.points import (
    ParameterConfig,
    from_unit_cube,
    uniform_point,
)
from botorch_popbo.benchmarks.settings import Setting


def test_the_policy_follows_the_score_function_estimator() -> None:
    optimizer: Any = Reinforce(TABLE, Setting("table", "reinforce", 3, 0))
    size = [len(config.values) for config in TABLE.parameters]  # type: ignore[union-attr]
    logits, first, second = ([np.zeros(n) for n in size] for _ in range(3))
    rewards: list[float] = []
    for trial in range(20):
        point = uniform_point(TABLE.parameters, "table", 0, trial)
        loss = TABLE.score(point)
        optimizer.observe(point, loss)
        rewards.append(-loss)
        weights = 0.9 ** np.arange(len(rewards))[::-1]
        advantage = rewards[-1] - np.average(rewards, weights=weights)
        for i, config in enumerate(TABLE.parameters):
            chosen = np.eye(size[i])[[*config.values].index(point[config.name])]  # type: ignore[union-attr]
            policy = np.exp(logits[i]) / np.exp(logits[i]).sum()
            slope = -advantage * (chosen - policy)
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope**2
            mean, square = (
                first[i] / (1 - 0.9 ** (trial + 1)),
                second[i] / (1 - 0.999 ** (trial + 1)),
            )
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
    optimizer = Reinforce(TABLE, Setting("table", "reinforce", 3, 0))
    for trial in range(200):
        point = uniform_point(TABLE.parameters, "table", 0, trial)
        optimizer.observe(point, float(point["edge0"] != "conv"))
    drawn = [optimizer.suggest(trial).parameters["edge0"] for trial in range(100)]
    assert drawn.count("conv") > 80
