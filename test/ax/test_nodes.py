from dataclasses import replace
from pathlib import Path

import pytest
from ax.api.client import Client
from helpers.service_loop import floats, last_acquisition, popbo_client, run_trials, sphere

from botorch_popbo.settings import ModelSettings, SearchSettings, Settings


def test_settings_reach_the_model_and_the_search_and_are_stored(tmp_path: Path) -> None:
    settings = Settings(
        model=replace(ModelSettings(), num_fitted=3), search=replace(SearchSettings(), num_raw=8)
    )
    client = popbo_client(floats(2), 4, settings=settings)
    run_trials(client, sphere, 4)
    client.save_to_json_file(str(tmp_path / "client.json"))
    loaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    points = run_trials(client, sphere, 2)
    again = run_trials(loaded, sphere, 2)
    assert again == [pytest.approx(point, abs=1e-6) for point in points]  # ten decimals are stored
    assert run_trials(popbo_client(floats(2), 4), sphere, 6)[4:] != points
    acquisition = last_acquisition(loaded)
    assert acquisition.model.settings.num_fitted == 3
