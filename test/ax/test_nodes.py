import json
from pathlib import Path
from typing import Any

from ax.api.client import Client
from ax.generation_strategy.generation_strategy import GenerationStrategy
from helpers.service_loop import floats, generator_keys, make_client, run_trials, sphere

from botorch_popbo.ax import (
    gp_node,
    initial_node,
    load_client,
    popbo_generation_strategy,
    popbo_node,
    save_client,
)


def three_nodes() -> GenerationStrategy:
    return GenerationStrategy(
        nodes=[
            initial_node(next_node_name="popbo-logei", num_trials=4),
            popbo_node(next_node_name="gp-qlognei", num_trials=7),
            gp_node("qlognei"),
        ]
    )


def test_nodes_are_joined_in_any_order() -> None:
    client = make_client(three_nodes(), floats(2), "-loss")
    run_trials(client, sphere, 9)
    assert generator_keys(client) == ["Sobol"] * 4 + ["popbo-logei"] * 3 + ["gp-qlognei"] * 2


def test_joined_nodes_can_be_stored(tmp_path: Path) -> None:
    client = make_client(three_nodes(), floats(2), "-loss")
    run_trials(client, sphere, 5)
    path = tmp_path / "client.json"
    client.save_to_json_file(str(path))
    assert json.loads(path.read_text())
    reloaded = Client.load_from_json_file(str(path))
    assert run_trials(reloaded, sphere, 2) == run_trials(client, sphere, 2)


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
    save_client(client, tmp_path / "client.json")
    reloaded = load_client(tmp_path / "client.json")
    for prediction in reloaded.predict(points):
        assert 1000.0 <= prediction["loss"][0] <= 1001.0
    assert run_trials(reloaded, sphere, 1) == run_trials(client, sphere, 1)
