"""A service loop that has its first suggestions behind it, and what its model knows."""

from ax.api.client import Client
from helpers.service_loop import floats, generator_keys, make_client, run_trials, sphere

from botorch_popbo.ax import OutcomePoissonRankModel, popbo_generation_strategy
from botorch_popbo.presets import PresetName

NUM_TRIALS = 6


def started(preset: PresetName = "default", objective: str = "-loss") -> Client:
    """A client of six completed trials; the next suggestion is the model's."""
    strategy = popbo_generation_strategy(num_initial_trials=5, preset=preset)
    client = make_client(strategy, floats(2), objective)
    run_trials(client, sphere, NUM_TRIALS)
    return client


def suggest(client: Client) -> tuple[int, dict[str, float]]:
    [(index, parameters)] = client.get_next_trials(max_trials=1).items()
    return index, dict(parameters)


def fitted_model(client: Client) -> OutcomePoissonRankModel:
    """The model that made the last suggestion."""
    node = client._generation_strategy._curr
    return node.generator_spec_to_gen_from.fitted_adapter.generator.surrogate.model


def pending_points(client: Client) -> list[list[float]]:
    """The pending points of the last suggestion."""
    node = client._generation_strategy._curr
    pending = node.generator_spec_to_gen_from.fitted_adapter.generator._acquisition.X_pending
    return [] if pending is None else pending.tolist()


def assert_never_repeated(client: Client, num_more: int = 4) -> None:
    """Go on, and check that every suggestion is the model's own and new."""
    run_trials(client, sphere, num_more)
    trials = client._experiment.trials.values()
    assert len({trial.arm.signature for trial in trials}) == len(trials)
    assert len(set(generator_keys(client)[5:])) == 1
