"""Every part of the settings reaches what it is for, and is stored."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ax.api.client import Client
from helpers.service_loop import floats, last_acquisition, popbo_client, run_trials, sphere

from botorch_popbo.acquisition import LogExpectedRankImprovement
from botorch_popbo.settings import (
    AcquisitionSettings,
    ModelSettings,
    PaperSettings,
    SearchSettings,
    Settings,
)

SETTINGS = Settings(
    model=replace(ModelSettings(), num_fitted=3),
    search=replace(SearchSettings(), num_raw=32),
    acquisition=AcquisitionSettings(exploration=0.8),
    paper=PaperSettings(hidden_sizes=(5,), untruncated_from=4),
)


@pytest.mark.parametrize(
    ("preset", "acquisition", "expected"),
    [
        ("paper", "eri", {"K_m": 5, "share": 0.4}),
        ("exact", "rlcb", {"beta": 3.0, "share": 0.6, "poisson_deviation": False}),
        ("default", "rlcb", {"beta": 1.0}),
        ("default", "eri", {"K_m": 1}),
        ("default", "logei", {}),
    ],
)
def test_settings_reach_models_functions_and_the_search(
    preset: Any, acquisition: Any, expected: dict[str, Any], tmp_path: Path
) -> None:
    options = {"preset": preset, "acquisition": acquisition}
    client = popbo_client(floats(2), 4, settings=SETTINGS, **options)
    run_trials(client, sphere, 4)
    client.save_to_json_file(str(tmp_path / "client.json"))
    loaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    [reloaded], [point] = (run_trials(each, sphere, 1) for each in (loaded, client))
    assert reloaded == pytest.approx(point, abs=1e-6)  # Ax keeps ten decimals of outcomes
    if acquisition == "logei":  # what the settings change
        assert run_trials(popbo_client(floats(2), 4, **options), sphere, 5)[4] != point
    found = last_acquisition(loaded)
    function, model = found.acqf, found.model
    assert found.settings.search.num_raw == 32
    assert {name: getattr(function, name) for name in expected} == expected
    if preset == "default":
        assert model.settings.num_fitted == 3
    else:
        assert [*model.settings.hidden_sizes] == [5]
        assert model.untruncated_from == (4 if preset == "paper" else math.inf)
    if (preset, acquisition) == ("default", "eri"):
        X = function.model.known_X.unsqueeze(-2) + 0.1
        by_hand = LogExpectedRankImprovement(function.model, settings=SETTINGS.acquisition)
        assert function(X).tolist() == by_hand(X).tolist()
