import pytest
import torch

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.analyses.fitting import fitted_ranks
from botorch_popbo.ax.nodes import PresetName

from .conftest import MakeRun


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_names_belong_to_the_points_of_the_model(make_run: MakeRun, preset: PresetName) -> None:
    client = make_run(10, strategy=popbo_generation_strategy(num_initial_trials=4, preset=preset))
    failed = client.attach_trial({"rate": 0.5, "layers": 1, "kind": "c", "size": 16})
    client.mark_trial_failed(failed)
    again = client.attach_trial(dict(client._experiment.arms_by_name["3_0"].parameters))
    client.complete_trial(again, raw_data={"loss": 0.4})
    ranks = fitted_ranks(client._experiment, client._generation_strategy, None)
    arms = client._experiment.arms_by_name
    assert sorted(ranks.arm_names) == sorted(arms)  # a repeated arm keeps its first name
    X = ranks.points([arms[name].parameters for name in ranks.arm_names])
    torch.testing.assert_close(X, ranks.model.rank_counts.X)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_the_best_arm_without_noise_has_the_best_outcome(
    make_run: MakeRun, preset: PresetName
) -> None:
    client = make_run(25, strategy=popbo_generation_strategy(num_initial_trials=4, preset=preset))
    data = client._experiment.lookup_data().df
    ranks = fitted_ranks(client._experiment, client._generation_strategy, None)
    assert ranks.best_arm_name == data.loc[data["mean"].idxmin(), "arm_name"]
