import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig

from botorch_popbo.ax import load_client, popbo_generation_strategy, save_client

OUTCOMES = [1e-13 * math.pi, 2e-13, 1 / 3e5, -math.e * 1e200, math.nan, math.inf]


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


@pytest.mark.parametrize("correction", [2.0, 1.0 + 1e-9, math.nan, (1.0, 0.5)])
@pytest.mark.parametrize("save", [save_client, lambda client, path: client.save_to_json_file(path)])
def test_what_was_attached_since_is_kept(
    correction: Any, save: Callable[[Client, Path], None], tmp_path: Path
) -> None:
    client, path = Client(), tmp_path / "a.json"
    client.configure_experiment(parameters=[RangeParameterConfig("x", (0, 1), "float")])
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=9))
    for outcome in (1.0, 1e-13):
        client.complete_trial(client.attach_trial({"x": outcome / 2}), {"loss": outcome})
    save_client(client, path)
    client.attach_data(0, {"loss": correction})
    save(client, path)
    found = load_client(path)._experiment.lookup_data().df
    mean, sem = correction if isinstance(correction, tuple) else (correction, math.nan)
    np.testing.assert_allclose(found["mean"], [mean, 1e-13], rtol=1e-14)
    np.testing.assert_allclose(found["sem"], [sem, math.nan], rtol=1e-14)


def test_a_value_of_a_curve_is_corrected_at_its_step(tmp_path: Path) -> None:
    client, path = Client(), tmp_path / "a.json"
    client.configure_experiment(parameters=[RangeParameterConfig("x", (0, 1), "float")])
    client.configure_optimization(objective="-loss")
    index = client.attach_trial({"x": 0.5})
    client.attach_data(index, {"loss": 5.0}, progression=2 / 3)
    save_client(client, path)
    client = load_client(path)
    client.attach_data(index, {"loss": 1.0}, progression=2 / 3)
    full = client._experiment.lookup_data().full_df
    assert full[["step", "mean"]].to_numpy().tolist() == [[2 / 3, 1.0]]
