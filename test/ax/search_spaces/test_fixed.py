from typing import Any

import pytest
from helpers.search_spaces import (
    Space,
    assert_distinct,
    assert_member,
    check_space,
    choice,
    ranged,
    start,
)
from helpers.service_loop import Parameter, Parameterization, generator_keys, run_trials

from botorch_popbo.presets import PresetName

FIXED: dict[str, Any] = {"kind": "a", "size": 8, "rate": 0.25, "flag": True}
FREE: list[Parameter] = [ranged("x", 0.0, 1.0), ranged("n", 1, 9, "int")]


def loss(p: Parameterization) -> float:
    return (p["x"] - 0.3) ** 2 + ((p["n"] - 6) / 9) ** 2


SPACE = Space([*FREE, *(choice(name, [value]) for name, value in FIXED.items())], loss)
DISCRETE = Space(
    [choice("u", ["a", "b", "c", "d"]), choice("v", [1, 2, 4, 8], is_ordered=True)],
    lambda p: (p["u"] != "c") + abs(p["v"] - 4) / 4,
)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(preset: PresetName) -> None:
    points = check_space(SPACE, preset)
    assert all(point.items() >= FIXED.items() for point in points)


def test_fixed_parameters_do_not_change_the_suggestions() -> None:
    free = Space(FREE, loss)
    without = run_trials(start(free), loss, 10)
    with_fixed = run_trials(start(SPACE), loss, 10)
    assert with_fixed == [dict(point) | FIXED for point in without]


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize(
    ("space", "wanted"),
    [
        pytest.param(SPACE, {"n": 4}, id="integer"),
        pytest.param(SPACE, {"x": 0.5}, id="float"),
        pytest.param(DISCRETE, {"u": "d"}, id="unordered choice"),
        pytest.param(DISCRETE, {"v": 8}, id="ordered choice"),
    ],
)
def test_parameters_fixed_for_some_trials(
    space: Space, wanted: dict[str, Any], preset: PresetName
) -> None:
    client = start(space, preset)
    points = run_trials(client, space.loss, 6)
    for _ in range(2):
        [(index, point)] = client.get_next_trials(1, fixed_parameters=wanted).items()
        assert point.items() >= wanted.items()
        assert_member(space, point)
        client.complete_trial(index, raw_data={"loss": space.loss(point)})
        points.append(point)
    assert_distinct(points)
    assert {key.split("-")[0] for key in generator_keys(client)[6:] if key} == {"popbo"}
