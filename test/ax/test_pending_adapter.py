from ax.api.client import Client
from ax.core.observation import ObservationFeatures
from helpers.service_loop import floats

from botorch_popbo.ax import parameter_configs, popbo_generation_strategy
from botorch_popbo.ax._adapter import RankGenerators


def test_forgotten_points_join_those_pending_of_a_metric_of_any_name() -> None:
    client = Client()
    client.configure_experiment(floats(1))
    client.configure_optimization("-failed")
    inside, running = {"x0": 0.25}, {"x0": 0.75}
    client.mark_trial_failed(client.attach_trial(inside))
    client.mark_trial_failed(client.attach_trial({"x0": 2.0}))
    experiment = client._experiment
    adapter = RankGenerators.SOBOL(experiment=experiment, transforms=[])
    pending = {"failed": [ObservationFeatures(running)]}
    told = adapter._get_transformed_gen_args(
        experiment.search_space, pending_observations=pending
    ).pending_observations
    assert [point.parameters for point in told["failed"]] == [running, inside]
    assert pending == {"failed": [ObservationFeatures(running)]}


def test_pending_points_are_in_the_order_of_their_trials_however_they_are_told() -> None:
    client = Client()
    client.configure_experiment(floats(1))
    client.configure_optimization("-loss")
    trials = [0.75, 0.25, 0.5]
    points = [ObservationFeatures({"x0": x}, index) for index, x in enumerate(trials)]
    suggested = ObservationFeatures({"x0": 0.0})
    adapter = RankGenerators.SOBOL(experiment=client._experiment, transforms=[])
    for told in ([*points, suggested], [*reversed(points), suggested]):
        found = adapter._get_transformed_gen_args(
            client._experiment.search_space, pending_observations={"loss": told}
        ).pending_observations["loss"]
        assert [point.parameters["x0"] for point in found] == [*trials, 0.0]


def test_a_point_that_is_pending_for_two_metrics_is_encoded_once() -> None:
    client = Client()
    client.configure_experiment(parameter_configs({"rate": (1e-3, 1.0, "log"), "kind": ["a", "b"]}))
    client.configure_optimization("-loss, -cost")
    strategy = popbo_generation_strategy(num_initial_trials=2)
    client.set_generation_strategy(strategy)
    for loss in (1.0, 2.0, 3.0):
        [index] = client.get_next_trials(1)
        client.complete_trial(index, {"loss": loss, "cost": -loss})
    abandoned = client.attach_trial({"rate": 0.01, "kind": "b"})
    client.attach_data(abandoned, {"loss": 0.0, "cost": 0.0})
    client.mark_trial_abandoned(abandoned)
    assert client.get_next_trials(1)
    adapter = strategy.adapter
    assert adapter is not None
    pending = adapter._get_transformed_gen_args(client._experiment.search_space)
    for metric in ("loss", "cost"):
        [point] = pending.pending_observations[metric]
        assert point.parameters == {"rate": -2.0, "kind": 1}
