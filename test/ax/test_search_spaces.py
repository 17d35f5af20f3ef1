"""What a strategy owes its user on every kind of search space, checked on Ax's own client."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from ax.api.client import Client
from ax.exceptions.core import SearchSpaceExhausted
from helpers.search_spaces import (
    KEYS,
    Space,
    assert_distinct,
    assert_member,
    choice,
    ranged,
    start,
)
from helpers.service_loop import Parameterization, generator_keys, run_trials

from botorch_popbo.presets import PresetName

EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])
BOTH: tuple[PresetName, ...] = ("default", "paper")

# As large as the cells of NAS-Bench-201: 5 ** 6 = 15,625 configurations.
OPERATIONS = ["none", "skip", "pool", "conv1", "conv3"]
BEST_CELL = {f"edge{i}": OPERATIONS[(2 * i + 1) % 5] for i in range(6)}
SIZES = [8, 16, 32, 64, 128, 256, 512, 1024, 2048]
WIDTHS = [16, 32, 64, 128, 256, 512]
RATES = [5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1]
KERNELS = ["rbf", "matern", "linear", "cosine", "periodic"]
COSTS = {"rbf": 3.0, "matern": 1.0, "linear": 4.0, "cosine": 0.0, "periodic": 2.0}
FIXED: dict[str, Any] = {"kind": "a", "size": 8, "rate": 0.25, "flag": True}


@dataclass(frozen=True)
class Search(Space):
    """A space, how long it is searched, and what is then found.

    Attributes:
        num_initial: Trials of the design.
        num_model: Suggestions of the model.
        improves: Presets that beat the design with them.
        finds: Whether the best point is good enough, after ``num_long`` suggestions.
        finders: Presets that find it.
    """

    num_initial: int = 6
    num_model: int = 8
    improves: tuple[PresetName, ...] = BOTH
    finds: Callable[[Parameterization], bool] = lambda point: True
    num_long: int = 0
    finders: tuple[PresetName, ...] = ("default",)
    presets: tuple[PresetName, ...] = BOTH


def unit(unit: float) -> Search:
    """Floats of which one is measured in another unit."""
    return Search(
        [ranged("x", 0.0, 1.0), ranged("y", -unit, unit)],
        lambda p: (p["x"] - 0.3) ** 2 + (p["y"] / unit - 0.4) ** 2,
        finds=lambda p: (p["x"] - 0.3) ** 2 + (p["y"] / unit - 0.4) ** 2 < 1e-3,
        num_long=14,
        presets=("default",),
    )


def decades(unit: float) -> Search:
    """A learning rate and a width, of which only the ratio to the best one matters."""
    return Search(
        [
            ranged("rate", 1e-7 * unit, 1.0 * unit, log=True),
            ranged("width", 1, 1024, "int", log=True),
        ],
        lambda p: math.log10(p["rate"] / unit / 1e-4) ** 2 + math.log2(p["width"] / 64) ** 2 / 4,
    )


def unordered(kernels: list[str]) -> Search:
    return Search(
        [
            choice("kernel", kernels),
            choice("shift", [7.0, -1.5, 0.0], is_ordered=False),
            choice("code", [500, 200, 404], is_ordered=False),
        ],
        lambda p: COSTS[p["kernel"]] + {-1.5: 1, 0.0: 2, 7.0: 0}[p["shift"]] + (p["code"] != 200),
    )


FREE = Space(
    [ranged("x", 0.0, 1.0), ranged("n", 1, 9, "int")],
    lambda p: (p["x"] - 0.3) ** 2 + ((p["n"] - 6) / 9) ** 2,
)
SPACES = {
    "floats": Search(
        [ranged("x", 0.0, 1.0), ranged("y", -5.0, 10.0), ranged("z", -2e6, -1e6)],
        lambda p: (p["x"] - 0.7) ** 2 + (p["y"] - 3.0) ** 2 / 50 + (p["z"] / 1e6 + 1.5) ** 2,
    ),
    "small unit": unit(1e-3),
    "large unit": unit(1e6),
    "optimum on the bounds": Search(
        [ranged("x", -1.0, 1.0), ranged("y", 0.0, 5.0)],
        lambda p: p["y"] - p["x"],
        finds=lambda p: p == {"x": 1.0, "y": 0.0},
        num_long=8,
        presets=("default",),
    ),
    "log": decades(1.0),
    "log and linear": Search(
        [ranged("rate", 1e-7, 1.0, log=True), ranged("x", 0.0, 1.0)],
        lambda p: math.log10(p["rate"] / 1e-4) ** 2 + (p["x"] - 0.3) ** 2,
        finds=lambda p: p["rate"] == pytest.approx(1e-4, rel=0.3),
        num_long=12,
        presets=("default",),
    ),
    "few integers": Search(
        [ranged("depth", 1, 9, "int"), ranged("heads", -4, 4, "int")],
        lambda p: (p["depth"] - 6) ** 2 + (p["heads"] + 2) ** 2,
        finds=lambda p: p == {"depth": 6, "heads": -2},
        num_long=16,
        finders=BOTH,
    ),
    "many integers": Search(
        [ranged("a", 1, 10_000, "int"), ranged("b", 1, 10_000, "int")],
        lambda p: ((p["a"] - 6789) / 1e4) ** 2 + ((p["b"] - 1234) / 1e4) ** 2,
        finds=lambda p: ((p["a"] - 6789) / 1e4) ** 2 + ((p["b"] - 1234) / 1e4) ** 2 < 1e-3,
        num_long=14,
    ),
    "integer and float": Search(
        [ranged("n", 1, 10_000, "int"), ranged("x", 0.0, 1.0)],
        lambda p: ((p["n"] - 6789) / 1e4) ** 2 + (p["x"] - 0.2) ** 2,
        presets=("default",),
    ),
    "ordered choices": Search(
        [
            choice("size", SIZES, is_ordered=True),
            choice("momentum", [0.0, 0.5, 0.9, 0.99], is_ordered=True),
            choice("grade", ["low", "mid", "high"], is_ordered=True),
        ],
        lambda p: (
            abs(SIZES.index(p["size"]) - 5)
            + (p["momentum"] - 0.9) ** 2
            + {"low": 2, "mid": 0, "high": 1}[p["grade"]]
        ),
    ),
    "unordered choices": unordered(KERNELS),
    "architecture": Search(
        [choice(name, OPERATIONS) for name in BEST_CELL],
        lambda p: sum((i + 1.0) * (p[n] != best) for i, (n, best) in enumerate(BEST_CELL.items())),
        num_initial=12,
        num_model=10,
        finds=lambda p: p == BEST_CELL,
        num_long=28,
    ),
    "table": Search(  # the shape of the tables of FCNet: 62,208 points
        [
            choice("rate", RATES, is_ordered=True),
            choice("batch", [8, 16, 32, 64], is_ordered=True),
            choice("width1", WIDTHS, is_ordered=True),
            choice("width2", WIDTHS, is_ordered=True),
            choice("dropout1", [0.0, 0.3, 0.6], is_ordered=True),
            choice("dropout2", [0.0, 0.3, 0.6], is_ordered=True),
            choice("schedule", ["cosine", "const"]),
            choice("activation1", ["relu", "tanh"]),
            choice("activation2", ["relu", "tanh"]),
        ],
        lambda p: (
            abs(RATES.index(p["rate"]) - 2) / 5
            + abs(p["batch"] - 16) / 64
            + abs(WIDTHS.index(p["width1"]) - 4) / 5
            + abs(WIDTHS.index(p["width2"]) - 5) / 5
            + p["dropout1"]
            + abs(p["dropout2"] - 0.3)
            + 0.5 * (p["schedule"] != "cosine")
            + 0.5 * (p["activation1"] != "relu")
            + 0.2 * (p["activation2"] != "tanh")
        ),
        num_initial=12,
    ),
    "floats and bool": Search(
        [ranged("x", 0.0, 1.0), ranged("y", -1.0, 1.0), choice("flag", [True, False])],
        lambda p: (p["x"] - (0.8 if p["flag"] else 0.2)) ** 2 + p["y"] ** 2 + 0.3 * p["flag"],
        finds=lambda p: p["flag"] is False and abs(p["x"] - 0.2) < 0.1,
        num_long=16,
    ),
    "all kinds": Search(
        [
            ranged("x", 0.0, 1.0),
            ranged("rate", 1e-4, 1.0, log=True),
            ranged("depth", 1, 8, "int"),
            ranged("width", 1, 512, "int", log=True),
            choice("kind", ["a", "b", "c"]),
            choice("size", [8, 32, 512], is_ordered=True),
            choice("flag", [True, False]),
            choice("version", [3]),
        ],
        lambda p: (
            (p["x"] - 0.7) ** 2
            + math.log10(p["rate"] / 1e-2) ** 2
            + abs(p["depth"] - 5) / 5
            + abs(math.log2(p["width"] / 64)) / 9
            + (p["kind"] != "b")
            + (p["size"] != 32)
            + p["flag"]
        ),
    ),
    "fixed": Search([*FREE.parameters, *(choice(k, [v]) for k, v in FIXED.items())], FREE.loss),
    "constrained floats": Search(
        [ranged(f"x{i}", 0.0, 1.0) for i in range(4)],
        lambda p: sum((p[f"x{i}"] - 0.6) ** 2 for i in range(4)),
        ("x0 + x1 <= 1", "x2 - x3 <= 0.2", "x0 + x1 + x2 + x3 >= 0.5"),
        finds=lambda p: (
            sum((x - 0.6) ** 2 for x in p.values()) < 0.1 and p["x0"] + p["x1"] > 1.0 - 1e-3
        ),
        num_long=6,
        num_model=6,
    ),
    "constrained integer": Search(
        [ranged("x", 0.0, 1.0), ranged("y", -1.0, 1.0), ranged("n", 1, 8, "int")],
        lambda p: (p["x"] - 0.5) ** 2 + p["y"] ** 2 + ((p["n"] - 4) / 8) ** 2,
        ("x + 0.1 * n <= 0.8", "y - x <= 0.5"),
        num_model=6,
    ),
    "constrained integers": Search(
        [ranged("m", 0, 20, "int"), ranged("n", 0, 20, "int")],
        lambda p: (p["m"] - 9) ** 2 + (p["n"] - 8) ** 2,
        ("m + n <= 15",),
        finds=lambda p: p == {"m": 8, "n": 7},
        num_long=14,
        num_model=6,
    ),
    "fifty floats": Search(
        [ranged(f"x{i}", 0.0, 1.0) for i in range(50)],
        lambda p: sum((x - 0.3) ** 2 for x in p.values()),
        num_model=3,
        improves=("default",),
        num_long=20,
    ),
    "fifty of all kinds": Search(
        [
            *(ranged(f"x{i}", 0.0, 1.0) for i in range(30)),
            *(ranged(f"n{i}", 1, 9, "int") for i in range(10)),
            *(choice(f"c{i}", ["a", "b", "c"]) for i in range(10)),
        ],
        lambda p: (
            sum((p[f"x{i}"] - 0.3) ** 2 for i in range(30))
            + sum((p[f"n{i}"] - 3) ** 2 / 64 for i in range(10))
            + sum(p[f"c{i}"] != "b" for i in range(10))
        ),
        num_model=3,
        improves=(),
    ),
    "one float": Search([ranged("x", -2.0, 3.0)], lambda p: (p["x"] - 1.7) ** 2, num_initial=4),
    "one on a log scale": Search(
        [ranged("x", 1e-5, 1.0, log=True)], lambda p: math.log10(p["x"] / 3e-3) ** 2, num_initial=4
    ),
    "one integer": Search(
        [ranged("x", 1, 1000, "int")], lambda p: abs(p["x"] - 321), num_initial=4
    ),
    "one ordered choice": Search(
        [choice("x", list(range(0, 200, 7)), is_ordered=True)],
        lambda p: abs(p["x"] - 42),
        num_initial=4,
    ),
    "one unordered choice": Search(
        [choice("x", [*"abcdefghijklmnopqrst"])],
        lambda p: (3 * ord(p["x"]) + 2) % 20,
        num_initial=4,
    ),
}


@dataclass(frozen=True)
class Searched:
    """An experiment on a space, and the points it completed."""

    space: Search
    preset: PresetName
    client: Client
    points: list[Parameterization]


@pytest.fixture(
    scope="module",
    params=[(name, p) for name in SPACES for p in SPACES[name].presets],
    ids="-".join,
)
def searched(request: pytest.FixtureRequest) -> Searched:
    name, preset = request.param
    space = SPACES[name]
    client = start(space, preset, space.num_initial)
    num_model = max(space.num_model, space.num_long if preset in space.finders else 0)
    points = run_trials(client, space.loss, space.num_initial + num_model)
    return Searched(space, preset, client, points)


def test_suggestions_are_the_models_own_and_new_points_of_the_space(searched: Searched) -> None:
    keys = generator_keys(searched.client)[searched.space.num_initial :]
    assert set(keys) == {KEYS[searched.preset]}
    assert_distinct(searched.points)
    for point in searched.points:
        assert_member(searched.space, point)


def test_suggestions_improve(searched: Searched) -> None:
    space, losses = searched.space, [*map(searched.space.loss, searched.points)]
    if searched.preset in space.improves:
        assert min(losses[space.num_initial :]) < min(losses[: space.num_initial])
    if searched.preset in space.finders:
        assert space.finds(min(searched.points, key=space.loss))


def test_predictions_are_finite(searched: Searched) -> None:
    for mean, sem in (p["loss"] for p in searched.client.predict(searched.points)):
        assert math.isfinite(mean)
        assert 0.0 <= sem < math.inf


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
    batch = list(searched.client.get_next_trials(max_trials=3).values())
    batch += searched.client.get_next_trials(max_trials=1).values()  # while the others run
    assert generator_keys(searched.client)[-4:] == [KEYS[searched.preset]] * 4
    assert_distinct([*searched.points, *batch])
    for point in batch:
        assert_member(searched.space, point)


EXHAUSTIBLE = {
    "choices": (
        9,
        Space(
            [choice("u", ["a", "b", "c"]), choice("v", [1, 2, 4], is_ordered=True)],
            lambda p: (p["u"] != "b") + abs(p["v"] - 2),
        ),
    ),
    "integers": (
        9,
        Space(
            [ranged("m", 1, 3, "int"), ranged("n", -1, 1, "int")],
            lambda p: abs(p["m"] - 2) + abs(p["n"]),
        ),
    ),
    "choice, bool and integer": (
        8,
        Space(
            [choice("flag", [True, False]), ranged("n", 1, 2, "int"), choice("u", ["a", "b"])],
            lambda p: p["flag"] + p["n"] + (p["u"] == "a"),
        ),
    ),
}


@pytest.mark.parametrize("acquisition", ["logei", "eri", "rlcb"])
@pytest.mark.parametrize("name", EXHAUSTIBLE)
def test_every_point_is_suggested_once_before_the_space_is_exhausted(
    name: str, acquisition: str
) -> None:
    size, space = EXHAUSTIBLE[name]
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


def test_fixed_parameters_do_not_change_the_suggestions() -> None:
    without, with_fixed = (run_trials(start(s), s.loss, 9) for s in (FREE, SPACES["fixed"]))
    assert with_fixed == [dict(point) | FIXED for point in without]


DISCRETE = Space(
    [choice("u", ["a", "b", "c", "d"]), choice("v", [1, 2, 4, 8], is_ordered=True)],
    lambda p: (p["u"] != "c") + abs(p["v"] - 4) / 4,
)


@EACH_PRESET
@pytest.mark.parametrize(
    ("space", "wanted"),
    [(FREE, {"n": 4}), (FREE, {"x": 0.5}), (DISCRETE, {"u": "d"}), (DISCRETE, {"v": 8})],
    ids=["integer", "float", "unordered choice", "ordered choice"],
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
    assert set(generator_keys(client)[6:]) == {KEYS[preset]}


@pytest.mark.parametrize("unit", [1e-3, 60.0])
def test_unit_of_a_log_parameter_does_not_matter(unit: float) -> None:
    plain, scaled = (run_trials(start(s), s.loss, 9) for s in (decades(1.0), decades(unit)))
    for p, q in zip(plain, scaled, strict=True):
        assert q["rate"] == pytest.approx(unit * p["rate"], rel=1e-3)
        assert q["width"] == p["width"]


def predictions(
    space: Space, seen: list[Parameterization], points: list[Parameterization]
) -> list[float]:
    """Predictions from the losses of points of one's own."""
    client = start(space, num_initial=len(seen))
    for point in seen:
        client.complete_trial(client.attach_trial(point), raw_data={"loss": space.loss(point)})
    client.get_next_trials(max_trials=1)
    return [prediction["loss"][0] for prediction in client.predict(points)]


def between(values: list[int], is_ordered: bool) -> list[float]:
    """Predictions of every second value of a choice; the loss falls to the sixth, then rises."""
    space = Space(
        [choice("size", values, is_ordered)], lambda p: float((values.index(p["size"]) - 5) ** 2)
    )
    points: list[Parameterization] = [{"size": value} for value in values]
    return predictions(space, points[::2], points[1::2])


def test_only_ordered_values_are_interpolated_and_only_their_order_counts() -> None:
    predicted = between(SIZES, is_ordered=True)
    assert min(predicted) == predicted[2]
    assert predicted[0] > predicted[1] > predicted[2] < predicted[3] < predicted[0]
    assert between(list(range(9)), is_ordered=True) == pytest.approx(predicted)
    unordered = between(SIZES, is_ordered=False)
    assert unordered == pytest.approx([unordered[0]] * 4)


def test_order_of_unordered_values_does_not_matter() -> None:
    points: list[Parameterization] = [
        {"kernel": kernel, "shift": shift, "code": code}
        for kernel in KERNELS
        for shift in (7.0, 0.0, -1.5)
        for code in (200, 404)
    ]
    first, *others = (
        predictions(unordered(kernels), points[::5], points)
        for kernels in (KERNELS, KERNELS[::-1], sorted(KERNELS))
    )
    assert others == [pytest.approx(first)] * 2
