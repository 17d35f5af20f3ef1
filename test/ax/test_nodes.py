from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ax.api.client import Client
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    qLogNoisyExpectedImprovement,
)
from helpers.service_loop import (
    floats,
    generator_keys,
    last_acquisition,
    make_client,
    run_trials,
    sphere,
)

from botorch_popbo.ax import fit_model, popbo_generation_strategy
from botorch_popbo.settings import ModelSettings, SearchSettings, Settings


def by_hand() -> GenerationStrategy:
    """The recipe of the guide, as it stands there."""
    guide = Path(__file__).parents[2] / "docs" / "ax.md"
    [recipe] = [
        block.partition("```")[0]
        for block in guide.read_text().split("```python\n")
        if "by_hand = " in block
    ]
    names: dict[str, Any] = {}
    exec(recipe, names)
    strategy: GenerationStrategy = names["by_hand"]
    return strategy


def test_a_spec_written_by_hand_does_as_the_node(tmp_path: Path) -> None:
    client = make_client(by_hand(), floats(2), "-loss")
    points = run_trials(client, lambda p: 1000.0 + sphere(p), 7)
    ready_made = popbo_generation_strategy(num_initial_trials=4)
    same = run_trials(make_client(ready_made, floats(2), "-loss"), sphere, 7)
    assert points == same
    client.save_to_json_file(str(tmp_path / "client.json"))
    reloaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    fit_model(reloaded)
    for prediction in reloaded.predict(points):
        assert 1000.0 <= prediction["loss"][0] <= 1001.0
    assert run_trials(reloaded, sphere, 1) == run_trials(client, sphere, 1)


@pytest.mark.parametrize("acquisition", [LogExpectedImprovement, qLogNoisyExpectedImprovement])
def test_an_acquisition_function_can_be_a_class(acquisition: type[AcquisitionFunction]) -> None:
    strategy = popbo_generation_strategy(acquisition, num_initial_trials=5)
    client = make_client(strategy, floats(2), "-loss")
    losses = [sphere(p) for p in run_trials(client, sphere, 13)]
    assert generator_keys(client)[5:] == [f"popbo-{acquisition.__name__}"] * 8
    assert min(losses[5:]) < min(losses[:5])


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    numbers: dict[str, Any] = {"num_initial_trials": np.int64(3), "seed": np.int64(3)}
    client = make_client(popbo_generation_strategy(**numbers), floats(2), "-loss")
    found = run_trials(client, sphere, 4)
    plain = popbo_generation_strategy(num_initial_trials=3, seed=3)
    assert run_trials(make_client(plain, floats(2), "-loss"), sphere, 4) == found
    client.save_to_json_file(str(tmp_path / "client.json"))
    assert Client.load_from_json_file(str(tmp_path / "client.json")).get_next_trials(1)


def test_settings_reach_the_model_and_the_search_and_are_stored(tmp_path: Path) -> None:
    settings = Settings(
        model=replace(ModelSettings(), num_fitted=3), search=replace(SearchSettings(), num_raw=8)
    )
    strategy = popbo_generation_strategy(num_initial_trials=4, settings=settings)
    client = make_client(strategy, floats(2), "-loss")
    run_trials(client, sphere, 4)
    client.save_to_json_file(str(tmp_path / "client.json"))
    loaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    points = run_trials(client, sphere, 2)
    assert run_trials(loaded, sphere, 2) == points
    plain = make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
    assert run_trials(plain, sphere, 6)[4:] != points
    acquisition = last_acquisition(loaded)
    assert acquisition.model.settings.num_fitted == 3
