import math
from pathlib import Path

import numpy as np
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig

from botorch_popbo.ax import load_client, popbo_generation_strategy, save_client

OUTCOMES = [1e-13 * math.pi, 2e-13, 1 / 3e5, -math.e * 1e200, math.nan]


def test_a_stored_client_keeps_every_digit(tmp_path: Path) -> None:
    client = Client()
    client.configure_experiment(parameters=[RangeParameterConfig("x", (0, 1), "float")])
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=9))
    for place, outcome in enumerate(OUTCOMES):
        index = client.attach_trial({"x": place / 10})
        client.complete_trial(index, {"loss": (outcome, outcome / 3)})
    before = client._experiment.lookup_data().df
    for number in range(2):  # what is read can be stored and read again
        path = tmp_path / f"{number}.json"
        save_client(client, path)
        client = load_client(path)
        after = client._experiment.lookup_data().df
        for column in ("mean", "sem"):
            np.testing.assert_array_equal(after[column], before[column], strict=True)


def test_what_was_attached_since_is_kept(tmp_path: Path) -> None:
    client = Client()
    client.configure_experiment(parameters=[RangeParameterConfig("x", (0, 1), "float")])
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=9))
    client.complete_trial(client.attach_trial({"x": 0.5}), {"loss": 1.0})
    save_client(client, tmp_path / "a.json")
    client.attach_data(0, {"loss": 2.0})
    save_client(client, tmp_path / "a.json")
    found = load_client(tmp_path / "a.json")._experiment.lookup_data().df
    assert list(found["mean"]) == [2.0]
