import pytest
from helpers.service_loop import sphere
from helpers.trial_states import assert_never_repeated, fitted_model, started, suggest

from botorch_popbo.presets import PresetName


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("objective", ["-loss", "loss"])
def test_it_ranks_below_every_success_and_is_not_suggested_again(
    preset: PresetName, objective: str
) -> None:
    client = started(preset, objective)
    failed = []
    for _ in range(3):
        index, parameters = suggest(client)
        client.mark_trial_failed(index)
        failed.append(list(parameters.values()))
    suggest(client)
    model = fitted_model(client)
    counts = model.rank_counts
    worst = counts.X[counts.counts == 6].tolist()
    assert sorted(worst) == sorted(failed)
    assert_never_repeated(client, 3)


def test_the_neighbourhood_of_failures_is_avoided() -> None:
    client = started()
    for _ in range(16):
        index, p = suggest(client)
        if p["x0"] > 0.5:  # the program crashes there
            client.mark_trial_failed(index)
        else:
            client.complete_trial(index, {"loss": sphere(p)})
    trials = list(client._experiment.trials.values())[6:]
    assert sum(trial.status.is_failed for trial in trials) <= 6
    assert not any(trial.status.is_failed for trial in trials[-5:])


def test_data_reported_before_the_failure_do_not_count() -> None:
    client = started()
    index, parameters = suggest(client)
    client.attach_data(index, {"loss": -1000.0})
    client.mark_trial_failed(index)
    suggest(client)
    model = fitted_model(client)
    row = model.train_inputs[0].tolist().index(list(parameters.values()))
    assert model.train_targets[row].isneginf()


def test_the_best_trial_is_never_a_failed_one() -> None:
    client = started()
    for _ in range(2):
        index, _ = suggest(client)
        client.attach_data(index, {"loss": -1000.0})
        client.mark_trial_failed(index)
    best, *_ = client.get_best_parameterization(use_model_predictions=False)
    trials = client._experiment.trials.values()
    succeeded = [trial.arm.parameters for trial in trials if not trial.status.is_failed]
    assert sphere(best) == min(map(sphere, succeeded))


@pytest.mark.parametrize("reports", [0, 2])
def test_beside_trials_that_report_their_progress(reports: int) -> None:
    client = started()
    for _ in range(2):
        index, p = suggest(client)
        client.attach_data(index, {"loss": sphere(p) + 1.0}, progression=1)
        client.complete_trial(index, {"loss": sphere(p)}, progression=2)
    index, failed = suggest(client)
    for progression in range(reports):
        client.attach_data(index, {"loss": -1000.0}, progression=progression)
    client.mark_trial_failed(index)
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 8].tolist() == [list(failed.values())]
    assert_never_repeated(client)
