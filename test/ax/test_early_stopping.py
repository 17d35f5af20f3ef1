"""Trials that Ax stops early, and what the model learns of them."""

import json
import math
from typing import Any

import numpy as np
import pytest
from ax.api.client import Client
from ax.storage.json_store.decoder import object_from_json
from ax.storage.json_store.encoder import object_to_json
from ax.storage.json_store.registry import (
    CORE_CLASS_DECODER_REGISTRY,
    CORE_CLASS_ENCODER_REGISTRY,
    CORE_DECODER_REGISTRY,
    CORE_ENCODER_REGISTRY,
)

from botorch_popbo.ax import (
    RankEarlyStopping,
    best_point,
    parameter_configs,
    popbo_generation_strategy,
)
from botorch_popbo.ax.early_stopping import parts_of, rivals_of, with_foreseen

EPOCHS = 4


def made(objective: str) -> Client:
    client = Client(random_seed=0)
    client.configure_experiment(parameter_configs({"x": (0.0, 1.0), "y": (0.0, 1.0)}))
    client.configure_optimization(objective)
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=6))
    client.set_early_stopping_strategy(RankEarlyStopping())
    return client


def run(client: Client, number: int) -> list[dict[str, Any]]:
    points = []
    for _ in range(number):
        ((index, point),) = client.get_next_trials(max_trials=1).items()
        points.append(point)
        x, y = point["x"], point["y"]
        for epoch in range(1, EPOCHS + 1):
            loss = (x - 0.3) ** 2 + (y - 0.6) ** 2 + 0.1 * math.sin(50.0 * x) / epoch + 1.0 / epoch
            client.attach_data(index, {"loss": loss, "size": x + 1.0 / epoch}, progression=epoch)
            if epoch < EPOCHS and client.should_stop_trial_early(index):
                client.mark_trial_early_stopped(index)
                break
        else:
            client.complete_trial(index)
    return points


@pytest.mark.parametrize("objective", ["-loss", "-loss, size"])
def test_hopeless_trials_are_stopped_and_foreseen(objective: str) -> None:
    client = made(objective)
    run(client, 10)
    experiment = client._experiment
    statuses = [trial.status.name for trial in experiment.trials.values()]
    assert statuses[:2] == ["COMPLETED"] * 2
    assert {*statuses} == {"COMPLETED", "EARLY_STOPPED"}
    goal = experiment.optimization_config
    assert goal is not None
    parts = parts_of(experiment, goal)
    rivals = rivals_of(experiment, parts)
    adapter = client._generation_strategy.adapter
    assert adapter is not None
    data = with_foreseen(adapter.get_training_data().observation_data, experiment, goal)
    for index, status in enumerate(statuses[:-1]):  # of the last one the adapter does not know
        row = data.loc[index].iloc[0]
        values, variances, _ = rivals.foresee(parts[index])
        if status == "COMPLETED":
            values, variances = [*parts[index].values()][-1], [0.0] * len(values)
        for sign, name, value, variance in zip((-1, 1), ("loss", "size"), values, variances):  # noqa: B905
            assert row["mean", name] == pytest.approx(sign * value)
            assert row["sem", name] == pytest.approx(math.sqrt(variance))
    if objective == "-loss":
        assert statuses[best_point(client).trial_index] == "COMPLETED"


def test_a_stored_experiment_goes_on_as_before(tmp_path: Any) -> None:
    client = made("-loss")
    run(client, 8)
    path = str(tmp_path / "client.json")
    client.save_to_json_file(path)
    again = Client.load_from_json_file(path)
    stored = object_to_json(RankEarlyStopping(), CORE_ENCODER_REGISTRY, CORE_CLASS_ENCODER_REGISTRY)
    strategy = object_from_json(
        json.loads(json.dumps(stored)), CORE_DECODER_REGISTRY, CORE_CLASS_DECODER_REGISTRY
    )
    assert isinstance(strategy, RankEarlyStopping)
    again.set_early_stopping_strategy(strategy)
    for one, other in zip(run(client, 2), run(again, 2), strict=True):
        assert np.allclose([*one.values()], [*other.values()], atol=1e-6)


def test_without_progressions_nothing_is_stopped() -> None:
    client = made("-loss")
    for _ in range(3):
        for index, point in client.get_next_trials(max_trials=1).items():
            client.attach_data(index, {"loss": point["x"]})
            assert not client.should_stop_trial_early(index)
            client.complete_trial(index)
