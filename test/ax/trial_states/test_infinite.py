import math

import pytest
from botorch.exceptions import InputDataError
from helpers.trial_states import assert_never_repeated, fitted_model, started, suggest


@pytest.mark.parametrize(("objective", "bad"), [("-loss", math.inf), ("loss", -math.inf)])
def test_infinitely_bad_is_a_failure(objective: str, bad: float) -> None:
    client = started(objective=objective)
    index, parameters = suggest(client)
    client.complete_trial(index, {"loss": bad})
    suggest(client)
    counts = fitted_model(client).rank_counts
    assert counts.X[counts.counts == 6].tolist() == [list(parameters.values())]
    assert_never_repeated(client)


@pytest.mark.parametrize(("objective", "good"), [("-loss", -math.inf), ("loss", math.inf)])
def test_infinitely_good_is_an_error_that_can_be_repaired(objective: str, good: float) -> None:
    client = started(objective=objective)
    index, _ = suggest(client)
    client.complete_trial(index, {"loss": good})
    with pytest.raises(InputDataError, match=r"\+inf"):
        suggest(client)
    client.attach_data(index, {"loss": 0.0})
    assert_never_repeated(client)
