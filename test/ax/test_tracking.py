"""Tracking metrics are predicted as any other, and change no suggestion."""

import math
from typing import Any

import pytest
import torch
from ax.api.client import Client
from helpers.search_spaces import choice, ranged
from helpers.service_loop import (
    Parameter,
    Parameterization,
    floats,
    generator_keys,
    popbo_client,
    sphere,
)

from botorch_popbo.ax import fit_model


def start(parameters: list[Parameter] | None = None) -> Client:
    return popbo_client(parameters or floats(2), 4)


def run(client: Client, number: int, **tracked: float) -> list[Parameterization]:
    points = []
    for _ in range(number):
        [(index, point)] = client.get_next_trials(1).items()
        points.append(point)
        client.complete_trial(index, {"loss": sphere(point), **tracked})
    return points


def test_they_are_predicted_in_their_unit() -> None:
    client = start()
    points = []
    for _ in range(10):
        [(index, point)] = client.get_next_trials(1).items()
        points.append(point)
        client.complete_trial(index, {"loss": sphere(point), "time": 100.0 + 10.0 * point["x1"]})
    fit_model(client)
    predictions = client.predict(points)
    times = torch.tensor([prediction["time"][0] for prediction in predictions])
    x1 = torch.tensor([point["x1"] for point in points])
    assert ((times >= 100.0) & (times <= 110.0)).all()
    assert torch.corrcoef(torch.stack([times, x1]))[0, 1] > 0.9


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1.0])
def test_they_change_no_suggestion(value: float) -> None:
    client, expected = start(), run(start(), 7)
    points = run(client, 5) + run(client, 1, time=value) + run(client, 1)
    assert points == expected
    assert generator_keys(client)[4:] == ["popbo-logei"] * 3


def test_parameters_have_importances() -> None:
    spaces = [ranged("x", 0.0, 1.0), choice("kind", ["a", "b", "c"]), ranged("y", 0.0, 1.0)]
    client = start(spaces)
    for _ in range(12):
        [(index, point)] = client.get_next_trials(1).items()
        client.complete_trial(index, {"loss": (point["x"] - 0.3) ** 2})
    fit_model(client)
    adapter: Any = client._generation_strategy.adapter
    importances = adapter.feature_importances("loss")
    assert sum(importances.values()) == pytest.approx(1.0)
    assert max(importances, key=importances.__getitem__) == "x"
