"""Tracking metrics are predicted as any other, and change no suggestion."""

import math
from typing import Any

import pytest
import torch
from ax.api.client import Client
from helpers.search_spaces import choice, ranged
from helpers.service_loop import floats, generator_keys, popbo_client, run_trials, sphere

from botorch_popbo.ax import fit_model


def run(client: Client, number: int, **tracked: float) -> list[Any]:
    return run_trials(client, lambda p: {"loss": sphere(p), **tracked}, number)


def test_they_are_predicted_in_their_unit() -> None:
    client = popbo_client(floats(2), 4)
    points = run_trials(client, lambda p: {"loss": sphere(p), "time": 100.0 + 10.0 * p["x1"]}, 10)
    fit_model(client)
    predictions = client.predict(points)
    times = torch.tensor([prediction["time"][0] for prediction in predictions])
    x1 = torch.tensor([point["x1"] for point in points])
    assert ((times >= 100.0) & (times <= 110.0)).all()
    assert torch.corrcoef(torch.stack([times, x1]))[0, 1] > 0.9


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1.0])
def test_they_change_no_suggestion(value: float) -> None:
    expected, client = run(popbo_client(floats(2), 4), 7), popbo_client(floats(2), 4)
    points = run(client, 5) + run(client, 1, time=value) + run(client, 1)
    assert points == expected
    assert generator_keys(client)[4:] == ["popbo-logei"] * 3


def test_parameters_have_importances() -> None:
    spaces = [ranged("x", 0.0, 1.0), choice("kind", ["a", "b", "c"]), ranged("y", 0.0, 1.0)]
    client = popbo_client(spaces, 4)
    run_trials(client, lambda p: (p["x"] - 0.3) ** 2, 12)
    fit_model(client)
    adapter: Any = client._generation_strategy.adapter
    importances = adapter.feature_importances("loss")
    assert sum(importances.values()) == pytest.approx(1.0)
    assert max(importances, key=importances.__getitem__) == "x"
