import json
from pathlib import Path
from typing import Any

import pytest
from ax.api.client import Client
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogNoisyExpectedImprovement,
)
from helpers.service_loop import floats, generator_keys, make_client, run_trials, sphere

from botorch_popbo import LowerConfidenceBound
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


@pytest.mark.parametrize(
    ("acquisition", "preset"),
    [
        (LogExpectedImprovement, "default"),
        (qLogNoisyExpectedImprovement, "default"),
        (LowerConfidenceBound, "default"),
        (LowerConfidenceBound, "paper"),
    ],
)
def test_an_acquisition_function_can_be_a_class(
    acquisition: type[AcquisitionFunction], preset: str
) -> None:
    strategy = popbo_generation_strategy(acquisition, num_initial_trials=5, preset=preset)
    client = make_client(strategy, floats(2), "-loss")
    losses = [sphere(p) for p in run_trials(client, sphere, 16)]
    assert generator_keys(client)[5:] == [f"popbo-{acquisition.__name__}"] * 11
    if preset == "default":  # a vanilla bound of the network need not find anything in so few
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


def test_who_takes_over_and_when_go_together() -> None:
    with pytest.raises(UserInputError, match="go together"):
        popbo_node(next_node_name="gp-logei")
