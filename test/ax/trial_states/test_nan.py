import math

import pytest
from helpers.trial_states import assert_never_repeated, fitted_model, started, suggest


@pytest.mark.parametrize("objective", ["-loss", "loss"])
def test_it_is_a_failure(objective: str) -> None:
    client = started(objective=objective)
    index, parameters = suggest(client)
    client.complete_trial(index, {"loss": math.nan})
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 6].tolist() == [list(parameters.values())]
    assert_never_repeated(client)


def test_nan_in_a_metric_that_only_watches_is_no_failure() -> None:
    client = started()
    client.configure_tracking_metrics(metric_names=["seconds"])
    index, parameters = suggest(client)
    client.complete_trial(index, {"loss": -1.0, "seconds": math.nan})
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 0].tolist() == [list(parameters.values())]


def test_a_trial_with_nan_may_be_measured_again() -> None:
    client = started()
    index, parameters = suggest(client)
    client.complete_trial(index, {"loss": math.nan})
    suggest(client)
    client.attach_data(index, {"loss": -1.0})
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 0].tolist() == [list(parameters.values())]
