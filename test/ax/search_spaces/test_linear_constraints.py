import pytest
from helpers.search_spaces import (
    Space,
    check_batches,
    check_seed,
    check_suggestions,
    ranged,
    slack,
    start,
)
from helpers.service_loop import run_trials

from botorch_popbo.presets import PresetName

FLOATS = Space(
    [ranged(f"x{i}", 0.0, 1.0) for i in range(4)],
    lambda p: sum((p[f"x{i}"] - 0.6) ** 2 for i in range(4)),
    ("x0 + x1 <= 1", "x2 - x3 <= 0.2", "x0 + x1 + x2 + x3 >= 0.5"),
)
WITH_AN_INTEGER = Space(
    [ranged("x", 0.0, 1.0), ranged("y", -1.0, 1.0), ranged("n", 1, 8, "int")],
    lambda p: (p["x"] - 0.5) ** 2 + p["y"] ** 2 + ((p["n"] - 4) / 8) ** 2,
    ("x + 0.1 * n <= 0.8", "y - x <= 0.5"),
)
INTEGERS = Space(
    [ranged("m", 0, 20, "int"), ranged("n", 0, 20, "int")],
    lambda p: (p["m"] - 9) ** 2 + (p["n"] - 8) ** 2,
    ("m + n <= 15",),
)
SPACES = {"floats": FLOATS, "with an integer": WITH_AN_INTEGER, "integers": INTEGERS}
EACH_SPACE = pytest.mark.parametrize("name", SPACES)


@EACH_SPACE
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(name: str, preset: PresetName) -> None:
    check_suggestions(SPACES[name], preset, 6, 6)


@EACH_SPACE
def test_batches(name: str) -> None:
    check_batches(SPACES[name])


@EACH_SPACE
def test_seed_decides_the_suggestions(name: str) -> None:
    points = run_trials(start(SPACES[name]), SPACES[name].loss, 8)
    check_seed(SPACES[name], "default", points, 6)


def test_optimum_on_the_boundary_is_reached() -> None:
    points = run_trials(start(FLOATS), FLOATS.loss, 12)
    best = min(points, key=FLOATS.loss)
    assert slack("x0 + x1 <= 1", best) == pytest.approx(0.0, abs=1e-3)
    assert FLOATS.loss(best) < 0.1


def test_best_integers_on_the_boundary_are_found() -> None:
    points = run_trials(start(INTEGERS), INTEGERS.loss, 20)
    assert {"m": 8, "n": 7} in points
