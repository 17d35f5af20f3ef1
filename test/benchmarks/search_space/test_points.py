import numpy as np
import pytest
import torch
from ax.api.configs import RangeParameterConfig

from botorch_popbo.benchmarks.search_space.points import (
    evaluation_seed,
    from_unit_cube,
    sobol_point,
    suggestion_seed,
    to_unit_interval,
    uniform_point,
)

from .conftest import CHOICES, INTEGERS, RANGES

PARAMETERS = [*RANGES, INTEGERS[0], INTEGERS[2], CHOICES[0]]


def test_the_ends_of_the_cube_are_the_ends_of_the_space() -> None:
    low = {"linear": -5.0, "log": 1e-4, "few": 2, "one": 1, "name": "a"}
    high = {"linear": 10.0, "log": 1e2, "few": 5, "one": 100, "name": "c"}
    end = np.nextafter(1.0, 0.0)
    for found, expected in (([0.0] * 5, low), ([end] * 5, high)):
        point = from_unit_cube(PARAMETERS, found)
        names = ("few", "one", "name")
        assert [point[name] for name in names] == [expected[name] for name in names]
        assert point["linear"] == pytest.approx(expected["linear"])
        assert point["log"] == pytest.approx(expected["log"])
        assert 1e-4 <= float(point["log"]) <= 1e2


def test_points_are_uniform_in_the_parameter_space() -> None:
    points = [uniform_point(PARAMETERS, "p", 0, trial) for trial in range(3000)]
    assert abs(np.mean([float(p["linear"]) for p in points]) - 2.5) < 0.3
    assert abs(np.mean([np.log10(float(p["log"])) for p in points]) + 1) < 0.15
    for name, count in (("few", 4), ("name", 3)):
        _, counts = np.unique([p[name] for p in points], return_counts=True)
        assert len(counts) == count
        np.testing.assert_allclose(counts / 3000, 1 / count, atol=0.04)


def test_a_point_depends_on_problem_seed_and_trial_alone() -> None:
    point = uniform_point(PARAMETERS, "p", 0, 7)
    torch.manual_seed(3)
    assert uniform_point(PARAMETERS, "p", 0, 7) == point
    for other in (("q", 0, 7), ("p", 1, 7), ("p", 0, 8)):
        assert uniform_point(PARAMETERS, *other) != point


def test_a_sobol_point_needs_no_history() -> None:
    cube = [RangeParameterConfig(name=n, bounds=(0.0, 1.0), parameter_type="float") for n in "xy"]
    points = [sobol_point(cube, "p", 0, index) for index in range(64)]
    assert sobol_point(cube, "p", 0, 40) == points[40]
    # A scrambled Sobol sequence puts one of 64 points into each cell of an 8 x 8 grid.
    cells = {(int(float(p["x"]) * 8), int(float(p["y"]) * 8)) for p in points}
    assert len(cells) == 64


def test_seeds_differ_by_purpose_and_trial_and_fit_32_bits() -> None:
    seeds = [make("p", 0, t) for make in (evaluation_seed, suggestion_seed) for t in range(50)]
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**32 for seed in seeds)


@pytest.mark.parametrize("config", PARAMETERS[:-1])
def test_a_range_is_inverted(config: RangeParameterConfig) -> None:
    for fraction in np.linspace(0, 1, 50):
        value = from_unit_cube([config], [fraction])[config.name]
        found = to_unit_interval(config, float(value))
        assert from_unit_cube([config], [found])[config.name] == pytest.approx(value, rel=1e-12)
        if config.parameter_type == "float":
            assert found == pytest.approx(fraction, abs=1e-12)
