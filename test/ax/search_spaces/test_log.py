import math

import pytest
from helpers.search_spaces import Space, check_batches, check_space, ranged, start
from helpers.service_loop import Parameterization, run_trials

from botorch_popbo.presets import PresetName


def space(unit: float = 1.0) -> Space:
    def loss(p: Parameterization) -> float:
        return math.log10(p["rate"] / unit / 1e-4) ** 2 + math.log2(p["width"] / 64) ** 2 / 4

    return Space(
        [
            ranged("rate", 1e-7 * unit, 1.0 * unit, log=True),
            ranged("width", 1, 1024, "int", log=True),
        ],
        loss,
    )


FLOATS = Space(
    [ranged("rate", 1e-7, 1.0, log=True), ranged("x", 0.0, 1.0)],
    lambda p: math.log10(p["rate"] / 1e-4) ** 2 + (p["x"] - 0.3) ** 2,
)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(preset: PresetName) -> None:
    check_space(space(), preset)


def test_batches() -> None:
    check_batches(space())


def test_optimum_is_found_on_the_scale_of_decades() -> None:
    best = min(run_trials(start(FLOATS), FLOATS.loss, 18), key=FLOATS.loss)
    assert best["rate"] == pytest.approx(1e-4, rel=0.3)


@pytest.mark.parametrize("unit", [1e-3, 60.0])
def test_unit_of_a_log_parameter_does_not_matter(unit: float) -> None:
    plain, scaled = (run_trials(start(space(u)), space(u).loss, 11) for u in (1.0, unit))
    for p, q in zip(plain, scaled, strict=True):
        assert q["rate"] == pytest.approx(unit * p["rate"], rel=1e-3)
        assert q["width"] == p["width"]
