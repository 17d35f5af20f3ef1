"""What a strategy owes its user on every kind of search space, checked on Ax's own client."""

import math
import random
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from ax.exceptions.core import SearchSpaceExhausted
from helpers.search_spaces import KEYS, Space, assert_distinct, assert_member, choice, ranged, start
from helpers.service_loop import Parameter, Parameterization, generator_keys, run_trials

from botorch_popbo.ax.generator_spec import PresetName

BOTH: tuple[PresetName, ...] = ("default", "paper")

OPERATIONS = ["none", "skip", "pool", "conv1", "conv3"]
FIXED: dict[str, Any] = {"kind": "a", "size": 8, "rate": 0.25, "flag": True}

Target = tuple[Parameter, Any]


@dataclass(frozen=True)
class Search(Space):
    """A space, how long it is searched, and what is then found.

    Attributes:
        num_initial: Trials of the design.
        num_model: Suggestions of the model.
        improves: Whether one of them beats the design.
        found: The loss that the default finds.
        presets: Presets that search it: the paper's where its model or optimizer has another way.
    """

    num_initial: int = 6
    num_model: int = 8
    improves: bool = True
    found: float = math.inf
    presets: tuple[PresetName, ...] = ("default",)


def search(*targets: Target, **options: Any) -> Search:
    """The search for a point, of which the loss is the squared distance."""

    def distance(p: Parameterization) -> float:
        return sum(_gap(parameter, p[parameter.name], best) ** 2 for parameter, best in targets)

    return Search([parameter for parameter, _ in targets], distance, **options)


def _gap(parameter: Parameter, value: Any, best: Any) -> float:
    """The distance between two values, in units of the range."""
    if isinstance(parameter, ChoiceParameterConfig):
        if not parameter.is_ordered:
            return float(value != best)
        values = [*parameter.values]
        return abs(values.index(value) - values.index(best)) / len(values)
    scale = math.log if parameter.scaling == "log" else float
    low, high = map(scale, parameter.bounds)
    return (scale(value) - scale(best)) / (high - low)


FREE = ((ranged("x", 0.0, 1.0), 0.3), (ranged("n", 1, 9, "int"), 6))
SPACES = {
    "floats": search(
        (ranged("x", 0.0, 1.0), 0.7),
        (ranged("y", -5.0, 10.0), 3.0),
        (ranged("z", -2e6, -1e6), -1.5e6),
        presets=BOTH,
    ),
    "few integers": search(
        (ranged("depth", 1, 9, "int"), 6),
        (ranged("heads", -4, 4, "int"), -2),
        num_model=10,
        found=0.0,
        presets=BOTH,
    ),
    "architecture": search(  # as large as the cells of NAS-Bench-201: 15,625 configurations
        *((choice(f"edge{i}", OPERATIONS), OPERATIONS[(2 * i + 1) % 5]) for i in range(6)),
        num_initial=12,
        num_model=14,
        found=0.0,
        presets=BOTH,
    ),
    "all kinds": search(
        (ranged("x", 0.0, 1.0), 0.7),
        (ranged("rate", 1e-4, 1.0, log=True), 1e-2),
        (ranged("depth", 1, 8, "int"), 5),
        (ranged("width", 1, 512, "int", log=True), 64),
        (choice("kind", ["a", "b", "c"]), "b"),
        (choice("size", [8, 32, 512], is_ordered=True), 32),
        (choice("flag", [True, False]), False),
        (choice("version", [3]), 3),
        num_model=5,
        presets=BOTH,
    ),
    "constrained floats": search(
        *((ranged(f"x{i}", 0.0, 1.0), 0.6) for i in range(4)),
        constraints=("x0 + x1 <= 1", "x2 - x3 <= 0.2", "x0 + x1 + x2 + x3 >= 0.5"),
        num_model=6,
        found=0.1,
    ),
    "constrained integers": search(
        (ranged("m", 0, 20, "int"), 9),
        (ranged("n", 0, 20, "int"), 8),
        constraints=("m + n <= 15",),
        num_model=14,
        found=2.01 / 20**2,  # of (8, 7)
        presets=BOTH,
    ),
    "fifty of all kinds": search(
        *((ranged(f"x{i}", 0.0, 1.0), 0.3) for i in range(30)),
        *((ranged(f"n{i}", 1, 9, "int"), 3) for i in range(10)),
        *((choice(f"c{i}", ["a", "b", "c"]), "b") for i in range(10)),
        num_model=1,
        improves=False,
    ),
}


@dataclass(frozen=True)
class Searched:
    """An experiment on a space, and the points it completed."""

    space: Search
    preset: PresetName
    client: Client
    points: list[Parameterization]


EACH_SEARCH = [
    pytest.param((name, p), id=f"{name}-{p}", marks=pytest.mark.slow if p == "paper" else ())
    for name in SPACES
    for p in SPACES[name].presets
]


@pytest.fixture(scope="module", params=EACH_SEARCH)
def searched(request: pytest.FixtureRequest) -> Searched:
    name, preset = request.param
    space = SPACES[name]
    client = start(space, preset, space.num_initial)
    points = run_trials(client, space.loss, space.num_initial + space.num_model)
    return Searched(space, preset, client, points)


def test_suggestions_are_the_models_own_and_new_points_of_the_space(searched: Searched) -> None:
    keys = generator_keys(searched.client)[searched.space.num_initial :]
    assert set(keys) == {KEYS[searched.preset]}
    assert_distinct(searched.points)
    for point in searched.points:
        assert_member(searched.client, point)


def test_suggestions_improve(searched: Searched) -> None:
    space, losses = searched.space, [*map(searched.space.loss, searched.points)]
    if space.improves:
        assert min(losses[space.num_initial :]) < min(losses[: space.num_initial])
    if searched.preset == "default":
        assert min(losses) <= space.found


# One of each way to search: continuous, a table, steps, mixed and under constraints.
SEEDED = [
    *(("floats", "default"), ("architecture", "default"), ("all kinds", "default")),
    *(("few integers", "default"), ("constrained floats", "default")),
    pytest.param(("floats", "paper"), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("searched", SEEDED, indirect=True)
def test_the_seed_decides_alone(searched: Searched) -> None:
    space, num_initial = searched.space, searched.space.num_initial
    torch.manual_seed(1234)
    client = start(space, searched.preset, num_initial)
    points = run_trials(client, space.loss, num_initial)
    states = torch.get_rng_state(), random.getstate()
    points += run_trials(client, space.loss, 2)
    assert points == searched.points[: num_initial + 2]
    assert torch.equal(torch.get_rng_state(), states[0])
    assert random.getstate() == states[1]
    assert run_trials(start(space, seed=1), space.loss, 6) != points[:6]


def test_batches_are_new_points_too(searched: Searched) -> None:
    """The last of the module to look at an experiment: its trials are never completed."""
    batch = list(searched.client.get_next_trials(max_trials=2).values())
    batch += searched.client.get_next_trials(max_trials=1).values()  # while the others run
    assert generator_keys(searched.client)[-3:] == [KEYS[searched.preset]] * 3
    assert_distinct([*searched.points, *batch])
    for point in batch:
        assert_member(searched.client, point)


EXHAUSTIBLE = {
    "choices": search(
        (choice("u", ["a", "b", "c"]), "b"), (choice("v", [1, 2, 4], is_ordered=True), 2)
    ),
    "choice, bool and integer": search(
        (choice("flag", [True, False]), False),
        (ranged("n", 1, 2, "int"), 1),
        (choice("u", ["a", "b"]), "b"),
    ),
}


@pytest.mark.parametrize("acquisition", ["logei", "eri"])
@pytest.mark.parametrize("name", EXHAUSTIBLE)
def test_every_point_is_suggested_once_before_the_space_is_exhausted(
    name: str, acquisition: str
) -> None:
    space, size = EXHAUSTIBLE[name], 8 if "bool" in name else 9
    preset: PresetName = "default" if acquisition == "logei" else "paper"
    client = start(space, preset, 3, acquisition=acquisition)
    points = run_trials(client, space.loss, 3)
    [(failed, point)] = client.get_next_trials(max_trials=1).items()
    client.mark_trial_failed(failed)
    pending = client.get_next_trials(max_trials=2)
    points += [point, *pending.values()]
    points += run_trials(client, space.loss, size - 8)
    points += client.get_next_trials(max_trials=2).values()  # until the last one
    assert len(points) == size
    assert_distinct(points)
    assert set(generator_keys(client)[3:]) == {f"popbo-{acquisition}"}
    with pytest.raises(SearchSpaceExhausted):
        client.get_next_trials(max_trials=1)
    for index, point in pending.items():
        client.complete_trial(index, raw_data={"loss": space.loss(point)})
    with pytest.raises(SearchSpaceExhausted):
        client.get_next_trials(max_trials=1)


FREE_SPACE = search(*FREE)
DISCRETE = search(
    (choice("u", ["a", "b", "c", "d"]), "c"), (choice("v", [1, 2, 4, 8], is_ordered=True), 4)
)


def test_fixed_parameters_do_not_change_the_suggestions() -> None:
    fixed = search(*FREE, *((choice(name, [value]), value) for name, value in FIXED.items()))
    without, with_fixed = (run_trials(start(s), s.loss, 8) for s in (FREE_SPACE, fixed))
    assert with_fixed == [dict(point) | FIXED for point in without]


@pytest.mark.parametrize(("space", "wanted"), [(FREE_SPACE, {"n": 4}), (DISCRETE, {"u": "d"})])
def test_parameters_fixed_for_some_trials(space: Space, wanted: dict[str, Any]) -> None:
    client = start(space)
    points = run_trials(client, space.loss, 6)
    for _ in range(2):
        [(index, point)] = client.get_next_trials(1, fixed_parameters=wanted).items()
        assert point.items() >= wanted.items()
        assert_member(client, point)
        client.complete_trial(index, raw_data={"loss": space.loss(point)})
        points.append(point)
    assert_distinct(points)
    assert set(generator_keys(client)[6:]) == {"popbo-logei"}


def test_the_unit_of_a_parameter_changes_nothing() -> None:
    found = []
    for unit in (1.0, 1e4):
        parameters = [ranged("x", 0.0, unit), ranged("y", 0.0, 1.0)]
        client = start(Space(parameters, lambda p: 0.0), "default", 4)
        run = run_trials(client, lambda p, u=unit: (p["x"] / u - 0.3) ** 2 + p["y"] ** 2, 7)
        found.append(torch.tensor([[p["x"] / unit, p["y"]] for p in run]))
    torch.testing.assert_close(*found, rtol=0.0, atol=1e-5)
