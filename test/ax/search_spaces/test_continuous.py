import pytest
from helpers.search_spaces import Space, check_batches, check_space, ranged, start
from helpers.service_loop import run_trials

from botorch_popbo.presets import PresetName

SPACE = Space(
    [ranged("x", 0.0, 1.0), ranged("y", -5.0, 10.0), ranged("z", -2e6, -1e6)],
    lambda p: (p["x"] - 0.7) ** 2 + (p["y"] - 3.0) ** 2 / 50 + (p["z"] / 1e6 + 1.5) ** 2,
)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_contract(preset: PresetName) -> None:
    check_space(SPACE, preset)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_batches(preset: PresetName) -> None:
    check_batches(SPACE, preset)


@pytest.mark.parametrize("unit", [1e-3, 1e6])
def test_unit_of_a_parameter_does_not_matter(unit: float) -> None:
    scaled = Space(
        [ranged("x", 0.0, 1.0), ranged("y", -unit, unit)],
        lambda p: (p["x"] - 0.3) ** 2 + (p["y"] / unit - 0.4) ** 2,
    )
    assert min(map(scaled.loss, run_trials(start(scaled), scaled.loss, 20))) < 1e-3


def test_optimum_on_the_bounds_is_reached() -> None:
    corner = Space([ranged("x", -1.0, 1.0), ranged("y", 0.0, 5.0)], lambda p: p["y"] - p["x"])
    points = run_trials(start(corner), corner.loss, 14)
    assert min(points, key=corner.loss) == {"x": 1.0, "y": 0.0}
