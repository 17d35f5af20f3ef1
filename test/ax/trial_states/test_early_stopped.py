import pytest
from helpers.service_loop import sphere
from helpers.trial_states import assert_never_repeated, fitted_model, started, suggest


def test_its_last_value_counts() -> None:
    client = started()
    index, parameters = suggest(client)
    for progression, loss in enumerate((9.0, 8.0, 7.0)):
        client.attach_data(index, {"loss": loss}, progression=progression)
    client.mark_trial_early_stopped(index)
    suggest(client)
    model = fitted_model(client)
    row = model.train_inputs[0].tolist().index(list(parameters.values()))
    assert model.train_targets[row] == -7.0
    assert model.rank_counts.counts.max() == 6
    assert_never_repeated(client)


def test_completed_learning_curves_are_ranked_by_their_last_value() -> None:
    client = started()
    for _ in range(3):
        index, p = suggest(client)
        for progression in range(3):
            data = {"loss": sphere(p) + 2.0 - progression}
            if progression < 2:
                client.attach_data(index, data, progression=progression)
            else:
                client.complete_trial(index, data, progression=progression)
    suggest(client)
    model = fitted_model(client)
    assert len(model.rank_counts) == 9
    expected = [-sphere({"x0": x, "x1": y}) for x, y in model.train_inputs[0].tolist()]
    assert model.train_targets.tolist() == pytest.approx(expected)
    assert_never_repeated(client)


def test_without_data_it_is_a_failure() -> None:
    client = started()
    index, parameters = suggest(client)
    client._experiment.trials[index].mark_early_stopped(unsafe=True)
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 6].tolist() == [list(parameters.values())]
    assert_never_repeated(client)
