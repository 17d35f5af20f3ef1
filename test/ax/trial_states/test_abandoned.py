import pytest
from helpers.trial_states import (
    assert_never_repeated,
    fitted_model,
    pending_points,
    started,
    suggest,
)

from botorch_popbo.presets import PresetName


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_it_says_nothing_but_is_not_suggested_again(preset: PresetName) -> None:
    client = started(preset)
    index, parameters = suggest(client)
    client.mark_trial_abandoned(index)
    suggest(client)
    assert len(fitted_model(client).rank_counts) == 6
    assert list(parameters.values()) in pending_points(client)
    assert_never_repeated(client)


def test_it_leaves_the_initial_design_one_short() -> None:
    client = started()
    before = client._experiment.trials[0]
    before.mark_abandoned(unsafe=True)
    index, _ = suggest(client)
    assert client._experiment.trials[index].generator_runs[0]._generator_key == "popbo-logei"
