import pytest
from helpers.service_loop import floats, generator_keys, make_client, sphere
from helpers.trial_states import (
    assert_never_repeated,
    fitted_model,
    pending_points,
    started,
    suggest,
)

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.presets import PresetName


def test_without_data_it_is_pending() -> None:
    client = started()
    _, parameters = suggest(client)
    suggest(client)
    assert len(fitted_model(client).rank_counts) == 6
    assert pending_points(client) == [list(parameters.values())]
    assert_never_repeated(client)


def test_with_data_it_is_learned_from() -> None:
    client = started()
    index, parameters = suggest(client)
    client.attach_data(index, {"loss": -1.0})
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 0].tolist() == [list(parameters.values())]
    client.attach_data(index, {"loss": 100.0})  # a later report replaces the earlier one
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 6].tolist() == [list(parameters.values())]
    assert_never_repeated(client)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_batch_is_distinct(preset: PresetName) -> None:
    client = started(preset)
    batch = client.get_next_trials(max_trials=5)
    assert len({tuple(p.values()) for p in batch.values()}) == 5
    for index, parameters in batch.items():
        client.complete_trial(index, {"loss": sphere(parameters)})
    assert_never_repeated(client, 2)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_trials_that_end_in_any_order_are_distinct(preset: PresetName) -> None:
    client = started(preset)
    running = dict(client.get_next_trials(max_trials=3))
    for step in range(6):
        index = sorted(running)[(2 * step) % 3]
        parameters = running.pop(index)
        client.complete_trial(index, {"loss": sphere(parameters)})
        running |= client.get_next_trials(max_trials=1)
        assert len(running) == 3
    trials = client._experiment.trials.values()
    assert len({trial.arm.signature for trial in trials}) == len(trials) == 15
    assert len(set(generator_keys(client)[5:])) == 1


def test_the_model_waits_until_half_of_the_design_has_data() -> None:
    strategy = popbo_generation_strategy(num_initial_trials=6)
    client = make_client(strategy, floats(2), "-loss")
    for index, parameters in client.get_next_trials(max_trials=8).items():
        if index in (1, 4):
            client.complete_trial(index, {"loss": sphere(parameters)})
    client.get_next_trials(max_trials=1)
    client.complete_trial(7, {"loss": 1.0})
    client.get_next_trials(max_trials=1)
    assert generator_keys(client) == ["Sobol"] * 9 + ["popbo-logei"]
