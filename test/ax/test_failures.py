import math

from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from helpers.service_loop import floats, generator_keys, make_client, run_trials, sphere

from botorch_popbo.ax import popbo_generation_strategy


def test_every_kind_of_failure_is_ranked_last() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=4), floats(1), "-loss")
    run_trials(client, sphere, 4)
    [failed] = client.get_next_trials(max_trials=1)
    client.mark_trial_failed(failed)
    for value in (math.nan, math.inf):
        [index] = client.get_next_trials(max_trials=1)
        client.complete_trial(index, {"loss": value})
    client.get_next_trials(max_trials=1)
    adapter = client._generation_strategy._curr.generator_spec_to_gen_from.fitted_adapter
    counts = adapter.generator.surrogate.model.rank_counts.counts
    assert sorted(counts.tolist()) == [0, 1, 2, 3, 4, 4, 4]


def test_failures_leave_predictions_in_the_unit_of_the_metric() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=5), floats(2), "-loss")
    points = run_trials(client, sphere, 8)
    [index] = client.get_next_trials(max_trials=1)
    client.mark_trial_failed(index)
    client.get_next_trials(max_trials=1)
    observed = [sphere(p) for p in points]
    for mean, sem in (prediction["loss"] for prediction in client.predict(points)):
        assert min(observed) <= mean <= max(observed)
        assert math.isfinite(sem)


def test_failures_in_a_mixed_space() -> None:
    parameters = [
        RangeParameterConfig(
            name="rate", bounds=(1e-3, 1.0), parameter_type="float", scaling="log"
        ),
        ChoiceParameterConfig(name="kind", values=["a", "b", "c"], parameter_type="str"),
        ChoiceParameterConfig(name="flag", values=[True, False], parameter_type="bool"),
        RangeParameterConfig(name="depth", bounds=(1, 9), parameter_type="int"),
    ]
    client = make_client(popbo_generation_strategy(num_initial_trials=5), parameters, "-loss")
    for trial in range(10):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        if trial % 3 == 2:
            client.mark_trial_failed(index)
        else:
            client.complete_trial(index, raw_data={"loss": p["rate"] + p["depth"]})
    trials = client._experiment.trials.values()
    assert len({arm.signature for trial in trials for arm in trial.arms}) == 10
    assert generator_keys(client)[-3:] == ["popbo-logei"] * 3
