import math

import pytest
from helpers.search_spaces import Space, check_batches, check_space, choice, ranged

from botorch_popbo.presets import PresetName

COLOURS = list("abcdefghijklmnopqrst")
SPACES = {
    "float": Space([ranged("x", -2.0, 3.0)], lambda p: (p["x"] - 1.7) ** 2),
    "log": Space([ranged("x", 1e-5, 1.0, log=True)], lambda p: math.log10(p["x"] / 3e-3) ** 2),
    "int": Space([ranged("x", 1, 1000, "int")], lambda p: abs(p["x"] - 321)),
    "ordered": Space(
        [choice("x", list(range(0, 200, 7)), is_ordered=True)], lambda p: abs(p["x"] - 42)
    ),
    "unordered": Space([choice("x", COLOURS)], lambda p: (3 * ord(p["x"]) + 2) % 20),
}
EACH_SPACE = pytest.mark.parametrize("name", SPACES)


@EACH_SPACE
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(name: str, preset: PresetName) -> None:
    check_space(SPACES[name], preset, num_initial=4)


@EACH_SPACE
def test_batches(name: str) -> None:
    check_batches(SPACES[name], num_initial=4)
