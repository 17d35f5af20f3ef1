import math

import pytest
from ax.api.configs import ChoiceParameterConfig
from helpers.search_spaces import Space, check_batches, check_space, choice
from helpers.service_loop import Parameterization

from botorch_popbo.presets import PresetName

WIDTHS = [16, 32, 64, 128, 256, 512]
RATES = [5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1]


def loss(p: Parameterization) -> float:
    return (
        abs(RATES.index(p["rate"]) - 2) / 5
        + abs(p["batch"] - 16) / 64
        + abs(WIDTHS.index(p["width1"]) - 4) / 5
        + abs(WIDTHS.index(p["width2"]) - 5) / 5
        + p["dropout1"]
        + abs(p["dropout2"] - 0.3)
        + 0.5 * (p["schedule"] != "cosine")
        + 0.5 * (p["activation1"] != "relu")
        + 0.2 * (p["activation2"] != "tanh")
    )


# The shape of the tables of FCNet.
SPACE = Space(
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
    loss,
)


def test_table_has_the_size_of_fcnet() -> None:
    sizes = [len(p.values) for p in SPACE.parameters if isinstance(p, ChoiceParameterConfig)]
    assert math.prod(sizes) == 62_208


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(preset: PresetName) -> None:
    check_space(SPACE, preset, num_initial=12)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_batches(preset: PresetName) -> None:
    check_batches(SPACE, preset)
