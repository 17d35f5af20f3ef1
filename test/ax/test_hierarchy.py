"""Parameters that depend on others: points are told apart by the active ones alone."""

from pathlib import Path
from typing import Any

import pytest
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from ax.exceptions.core import SearchSpaceExhausted
from botorch.exceptions import CandidateGenerationError
from helpers.search_spaces import assert_distinct, choice, ranged
from helpers.service_loop import (
    Parameter,
    Parameterization,
    generator_keys,
    last_acquisition,
    pending_points,
    popbo_client,
)

from botorch_popbo.ax import best_point
from botorch_popbo.ax.generator_spec import PresetName


def parent(name: str, dependents: dict[Any, list[str]]) -> Parameter:
    values = list(dependents)
    return ChoiceParameterConfig(
        name=name,
        values=values,
        parameter_type="bool" if isinstance(values[0], bool) else "str",
        is_ordered=len(values) == 2,
        dependent_parameters={value: names for value, names in dependents.items() if names},
    )


def nested() -> list[Parameter]:
    """A tree of three levels, with two, three and two branches."""
    return [
        parent("deep", {True: ["kind", "rate"], False: ["x"]}),
        parent("kind", {"a": ["width"], "b": [], "c": ["layers"]}),
        ranged("rate", 1e-4, 1.0, log=True),
        ranged("width", 0.0, 1.0),
        ranged("layers", 1, 3, "int"),
        ranged("x", 0.0, 1.0),
    ]


def discrete() -> list[Parameter]:
    """Of six points."""
    return [
        parent("kind", {"a": ["letter"], "b": ["number"]}),
        choice("letter", ["p", "q", "r"]),
        ranged("number", 1, 3, "int"),
    ]


def loss(p: Parameterization) -> float:
    parts = (p.get("x", 0.5) - 0.3, p.get("rate", 0.1), p.get("width", 0.0), p.get("number", 0))
    return float(sum(part**2 for part in parts))


def tried(client: Client) -> list[Parameterization]:
    return [trial.arm.parameters for trial in client._experiment.trials.values()]


def go_on(client: Client, number: int, failures: frozenset[int] = frozenset()) -> None:
    for _ in range(number):
        [(index, point)] = client.get_next_trials(1).items()
        if index in failures:
            client.mark_trial_failed(index)
        else:
            client.complete_trial(index, {"loss": loss(point)})


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_active_parameters_are_searched(preset: PresetName) -> None:
    client = popbo_client(nested(), 4, preset=preset)
    go_on(client, 9, failures=frozenset({1, 6}))
    assert_distinct(tried(client))
    assert {p["deep"] for p in tried(client)} == {True, False}
    for point in tried(client):
        assert ("x" in point) is (not point["deep"])
        assert ("width" in point) is (point.get("kind") == "a")
    assert all(key.startswith("popbo") for key in map(str, generator_keys(client)[6:]))


def test_every_point_of_a_table_is_suggested_once() -> None:
    client = popbo_client(discrete(), 4)
    go_on(client, 4)
    for _ in range(2):  # which run beside each other
        client.get_next_trials(1)
    assert_distinct(tried(client))
    with pytest.raises(SearchSpaceExhausted):
        client.get_next_trials(1)


def test_a_stored_experiment_goes_on(tmp_path: Path) -> None:
    client = popbo_client(nested(), 4)
    go_on(client, 6)
    client.save_to_json_file(str(tmp_path / "client.json"))
    reloaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    [again], [point] = reloaded.get_next_trials(1).values(), client.get_next_trials(1).values()
    assert (again.pop("kind"), again.pop("deep")) == (point.pop("kind"), point.pop("deep"))
    assert again == pytest.approx(point, abs=1e-6)  # ten decimals are stored


def test_fixed_parameters_are_refused() -> None:
    client = popbo_client(nested(), 4)
    go_on(client, 4)
    with pytest.raises(CandidateGenerationError, match="Leave out fixed_parameters"):
        client.get_next_trials(1, fixed_parameters={"deep": True})
    go_on(client, 1)


def test_a_trial_outside_hides_no_point_without_the_parameter() -> None:
    client = popbo_client([*discrete(), ranged("x", 0.0, 1.0)], 4)
    client.complete_trial(
        client.attach_trial({"kind": "b", "number": 40, "x": 0.5}), {"loss": 1000.0}
    )
    for x in (0.1, 0.31, 0.9):
        index = client.attach_trial({"kind": "a", "letter": "p", "x": x})
        client.complete_trial(index, {"loss": loss({"x": x})})
    assert best_point(client).parameters == {"kind": "a", "letter": "p", "x": 0.31}
    client.get_next_trials(1)
    index = client.attach_trial({"kind": "a", "letter": "q", "x": 0.3})
    [(number, _)] = client.get_next_trials(1).items()
    observed = {tuple(x) for x in last_acquisition(client).X_observed.tolist()}
    assert len(observed) == 3
    assert len(pending_points(client)) == number - 4


@pytest.mark.parametrize("failures", [frozenset[int](), frozenset({0, 1, 3})])
def test_a_design_takes_points_for_one_that_differ_without_a_meaning(
    failures: frozenset[int],
) -> None:
    client = popbo_client(discrete(), 12)
    go_on(client, 6, failures)
    assert_distinct(tried(client))
    with pytest.raises(SearchSpaceExhausted, match="No point is left"):
        client.get_next_trials(1)


def test_a_design_of_several_trials_at_a_time_tells_them_apart() -> None:
    client = popbo_client(discrete(), 6, seed=1)
    assert len(client.get_next_trials(6)) == 6
    assert_distinct(tried(client))
