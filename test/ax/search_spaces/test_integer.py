import pytest
from helpers.search_spaces import Space, check_batches, check_space, ranged, start
from helpers.service_loop import run_trials

from botorch_popbo.presets import PresetName

SMALL = Space(
    [ranged("depth", 1, 9, "int"), ranged("heads", -4, 4, "int")],
    lambda p: (p["depth"] - 6) ** 2 + (p["heads"] + 2) ** 2,
)
WIDE = Space(
    [ranged("a", 1, 10_000, "int"), ranged("b", 1, 10_000, "int")],
    lambda p: ((p["a"] - 6789) / 1e4) ** 2 + ((p["b"] - 1234) / 1e4) ** 2,
)
BESIDE_A_FLOAT = Space(
    [ranged("n", 1, 10_000, "int"), ranged("x", 0.0, 1.0)],
    lambda p: ((p["n"] - 6789) / 1e4) ** 2 + (p["x"] - 0.2) ** 2,
)
SPACES = {"small": SMALL, "wide": WIDE, "beside a float": BESIDE_A_FLOAT}
EACH_SPACE = pytest.mark.parametrize("name", SPACES)


@EACH_SPACE
def test_contract(name: str) -> None:
    check_space(SPACES[name])


@pytest.mark.parametrize("name", ["small", "wide"])
def test_contract_of_the_paper(name: str) -> None:
    check_space(SPACES[name], "paper")


@EACH_SPACE
def test_batches(name: str) -> None:
    check_batches(SPACES[name])


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_best_integers_of_a_small_range_are_found(preset: PresetName) -> None:
    points = run_trials(start(SMALL, preset), SMALL.loss, 22)
    assert {"depth": 6, "heads": -2} in points


def test_wide_range_is_searched_finely() -> None:
    points = run_trials(start(WIDE), WIDE.loss, 20)
    assert min(map(WIDE.loss, points)) < 1e-3
