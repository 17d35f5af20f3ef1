from ax.api.client import Client
from ax.core.observation import ObservationFeatures
from helpers.service_loop import floats

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
