"""Every part of the settings reaches what it is for."""

import math
from pathlib import Path
from typing import Any

import pytest
from ax.api.client import Client
from helpers.service_loop import floats, last_acquisition, make_client, run_trials, sphere

from botorch_popbo.acquisition import LogExpectedRankImprovement
from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.settings import AcquisitionSettings, PaperSettings, Settings


@pytest.mark.parametrize(
    ("preset", "acquisition", "expected"),
    [
        ("paper", "eri", {"K_m": 5, "share": 0.4}),
        ("exact", "rlcb", {"beta": 3.0, "share": 0.6, "poisson_deviation": False}),
        ("default", "rlcb", {"beta": 1.0}),
        ("default", "eri", {"K_m": 1}),
    ],
)
def test_settings_reach_the_papers_model_and_functions_and_are_stored(
    preset: Any, acquisition: Any, expected: dict[str, Any], tmp_path: Path
) -> None:
    paper = PaperSettings(hidden_sizes=(5,), untruncated_from=4)
    settings = Settings(paper=paper, acquisition=AcquisitionSettings(exploration=0.8))
    options: Any = {"preset": preset, "settings": settings}
    strategy = popbo_generation_strategy(acquisition, num_initial_trials=4, **options)
    client = make_client(strategy, floats(2), "-loss")
    run_trials(client, sphere, 4)
    client.save_to_json_file(str(tmp_path / "client.json"))
    loaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    [reloaded], [point] = (run_trials(each, sphere, 1) for each in (loaded, client))
    assert reloaded == pytest.approx(point, abs=1e-6)  # Ax keeps ten decimals of outcomes
    function = last_acquisition(loaded).acqf
    assert {name: getattr(function, name) for name in expected} == expected
    if preset != "default":
        assert [*function.model.settings.hidden_sizes] == [5]
        assert function.model.untruncated_from == (4 if preset == "paper" else math.inf)
    elif acquisition == "eri":
        X = function.model.known_X.unsqueeze(-2) + 0.1
        by_hand = LogExpectedRankImprovement(function.model, settings=settings.acquisition)
        assert function(X).tolist() == by_hand(X).tolist()
