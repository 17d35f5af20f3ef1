from pathlib import Path
from typing import Any

import numpy as np
import pytest
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogNoisyExpectedImprovement,
)
from helpers.service_loop import floats, generator_keys, make_client, run_trials, sphere

from botorch_popbo.ax import load_client, popbo_generation_strategy, save_client


@pytest.mark.parametrize("acquisition", [LogExpectedImprovement, qLogNoisyExpectedImprovement])
def test_an_acquisition_function_can_be_a_class(acquisition: type[AcquisitionFunction]) -> None:
    strategy = popbo_generation_strategy(acquisition, num_initial_trials=5)
    client = make_client(strategy, floats(2), "-loss")
    losses = [sphere(p) for p in run_trials(client, sphere, 13)]
    assert generator_keys(client)[5:] == [f"popbo-{acquisition.__name__}"] * 8
    assert min(losses[5:]) < min(losses[:5])


@pytest.mark.parametrize(
    ("acquisition", "message"),
    [(UpperConfidenceBound, "NegatedRank"), (qLogNoisyExpectedImprovement, "NegatedRank")],
)
def test_a_function_of_values_is_refused_by_a_model_of_counts(
    acquisition: type[AcquisitionFunction], message: str
) -> None:
    strategy = popbo_generation_strategy(acquisition, num_initial_trials=4, preset="paper")
    client = make_client(strategy, floats(2), "-loss")
    run_trials(client, sphere, 4)
    with pytest.raises(Exception, match=message):
        client.get_next_trials(max_trials=1)


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    numbers: dict[str, Any] = {"num_initial_trials": np.int64(3), "seed": np.int64(3)}
    client = make_client(popbo_generation_strategy(**numbers), floats(2), "-loss")
    found = run_trials(client, sphere, 4)
    plain = popbo_generation_strategy(num_initial_trials=3, seed=3)
    assert run_trials(make_client(plain, floats(2), "-loss"), sphere, 4) == found
    save_client(client, tmp_path / "client.json")
    assert load_client(tmp_path / "client.json").get_next_trials(1)
