import math

import pytest
from helpers.search_spaces import Space, check_batches, check_space, choice, ranged, start
from helpers.service_loop import run_trials

from botorch_popbo.presets import PresetName

FLOAT_AND_BOOL = Space(
    [ranged("x", 0.0, 1.0), ranged("y", -1.0, 1.0), choice("flag", [True, False])],
    lambda p: (p["x"] - (0.8 if p["flag"] else 0.2)) ** 2 + p["y"] ** 2 + 0.3 * p["flag"],
)
ALL_KINDS = Space(
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
)
SPACES = {"float and bool": FLOAT_AND_BOOL, "all kinds": ALL_KINDS}
EACH_SPACE = pytest.mark.parametrize("name", SPACES)


@EACH_SPACE
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(name: str, preset: PresetName) -> None:
    check_space(SPACES[name], preset)


@EACH_SPACE
def test_batches(name: str) -> None:
    check_batches(SPACES[name])


def test_optimum_beside_the_better_category_is_found() -> None:
    points = run_trials(start(FLOAT_AND_BOOL), FLOAT_AND_BOOL.loss, 22)
    best = min(points, key=FLOAT_AND_BOOL.loss)
    assert best["flag"] is False
    assert best["x"] == pytest.approx(0.2, abs=0.1)
