"""Replicates, standard errors, and metrics that only watch."""

import pytest
import torch
from ax.api.client import Client
from helpers.service_loop import floats, generator_keys, make_client, run_trials, sphere

from botorch_popbo.ax import OutcomePoissonRankModel, popbo_generation_strategy
from botorch_popbo.rank_counts import from_noisy_outcomes


def model_of(client: Client) -> OutcomePoissonRankModel:
    client.get_next_trials(max_trials=1)
    node = client._generation_strategy._curr
    return node.generator_spec_to_gen_from.fitted_adapter.generator.surrogate.model


def complete(client: Client, sems: list[float | None]) -> list[float]:
    losses = []
    for sem in sems:
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        losses.append(sphere(p))
        client.complete_trial(index, {"loss": losses[-1] if sem is None else (losses[-1], sem)})
    return losses


def test_standard_errors_become_expected_counts() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=6), floats(2), "-loss")
    sems = [0.1, 0.2, 0.01, 0.3, 0.1, 0.2]
    complete(client, list(sems))
    model = model_of(client)
    expected = from_noisy_outcomes(
        model.train_inputs[0],
        model.train_targets,
        torch.tensor(sems, dtype=torch.double).square(),
    )
    assert torch.equal(model.rank_counts.counts, expected.counts)
    assert bool((model.rank_counts.counts % 1.0 != 0.0).any())
    assert generator_keys(client)[6:] == ["popbo-logei"]


def test_zero_standard_errors_are_exact_outcomes() -> None:
    clients = [
        make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
        for _ in range(2)
    ]
    complete(clients[0], [0.0] * 8)
    complete(clients[1], [None] * 8)
    trials = [list(client._experiment.trials.values()) for client in clients]
    assert [t.arm.parameters for t in trials[0]] == [t.arm.parameters for t in trials[1]]


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_partly_known_standard_errors(preset: str) -> None:
    client = make_client(
        popbo_generation_strategy(num_initial_trials=4, preset=preset), floats(2), "-loss"
    )
    losses = complete(client, [0.1, None, 0.3, None, 0.1, None])
    model = model_of(client)
    variances = torch.tensor([0.01, 0.11 / 3, 0.09, 0.11 / 3, 0.01, 0.11 / 3]).double()
    outcomes = -torch.tensor(losses, dtype=torch.double)
    expected = from_noisy_outcomes(model.train_inputs[0], outcomes, variances)
    torch.testing.assert_close(model.rank_counts.counts, expected.counts)
    for _, sem in (prediction["loss"] for prediction in client.predict([{"x0": 0.5, "x1": 0.5}])):
        assert sem > 0.0


def test_replicates_are_one_point() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
    for loss in (1.0, 3.0, 5.0):
        index = client.attach_trial({"x0": 0.5, "x1": 0.5})
        client.complete_trial(index, {"loss": loss})
    for x, loss in ((0.1, 2.0), (0.9, 4.0)):
        index = client.attach_trial({"x0": x, "x1": x})
        client.complete_trial(index, {"loss": loss})
    counts = model_of(client).rank_counts
    assert counts.X.tolist() == [[0.1, 0.1], [0.5, 0.5], [0.9, 0.9]]
    assert counts.counts.tolist() == [0.0, 1.0, 2.0]  # 2 beats the mean of 3, which beats 4
    run_trials(client, sphere, 3)
    assert generator_keys(client)[-3:] == ["popbo-logei"] * 3


def test_tracking_metrics_change_nothing() -> None:
    plain = make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
    watched = make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
    watched.configure_tracking_metrics(metric_names=["seconds", "sometimes"])
    expected = run_trials(plain, sphere, 9)
    points = []
    for trial in range(9):
        [(index, p)] = watched.get_next_trials(max_trials=1).items()
        data = {"loss": sphere(p), "seconds": 3.0}
        watched.complete_trial(index, data | ({"sometimes": p["x0"]} if trial == 3 else {}))
        points.append(dict(p))
    assert points == expected
    assert set(watched.predict(points[:1])[0]) == {"loss"}
