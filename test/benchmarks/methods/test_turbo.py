import numpy as np
import pytest
from helpers.peers import CONTINUOUS

from botorch_popbo.benchmarks.methods._turbo import TrustRegion, Turbo, trust_region
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting


def _tutorial(outcomes: list[float], initial: int, dimension: int) -> TrustRegion:
    """The tutorial's update of its state, and a new start where it ends."""
    begin = 0
    while True:
        length, successes, failures = 0.8, 0, 0
        best = max(outcomes[begin : begin + initial], default=0.0)
        for index in range(begin + initial, len(outcomes)):
            if outcomes[index] > best + 1e-3 * abs(best):
                successes += 1
                failures = 0
            else:
                successes = 0
                failures += 1
            if successes == 10:
                length = min(2.0 * length, 1.6)
                successes = 0
            elif failures == max(4, dimension):
                length /= 2.0
                failures = 0
            best = max(best, outcomes[index])
            if length < 0.5**7:
                begin = index + 1
                break
        else:
            return TrustRegion(begin, length)


@pytest.mark.parametrize(("dimension", "drift"), [(2, 0.0), (6, 0.0), (2, 5.0)])
def test_the_region_is_the_tutorials(dimension: int, drift: float) -> None:
    noise = np.random.default_rng(0).normal(size=300)
    outcomes = (noise + drift * np.arange(300) * (np.arange(300) < 100)).tolist()
    regions = [trust_region(outcomes[:n], 6, dimension) for n in range(300)]
    assert regions == [_tutorial(outcomes[:n], 6, dimension) for n in range(300)]
    assert max(region.begin for region in regions) > 0
    assert (max(region.length for region in regions) > 0.8) == (drift > 0)


def test_suggestions_stay_in_the_region() -> None:
    setting = Setting("continuous", "turbo", 6, 0)
    optimizer = Turbo(CONTINUOUS, setting)
    for trial in range(6 + 5 * 4):
        point = uniform_point(CONTINUOUS.parameters, "continuous", 0, trial)
        optimizer.observe(point, abs(float(trial) - 3) / 10)
    center = optimizer.encoding.encode(optimizer.points[3])
    assert optimizer.setting == setting
    length = trust_region(optimizer.outcomes, 6, 2).length
    assert length == 0.8 / 2**5
    for trial in range(26, 30):
        x = optimizer.encoding.encode(optimizer.suggest(trial).parameters)
        # The sides are scaled by the length scales, and their product is that of a cube.
        assert (x - center).abs().prod() <= (length / 2) ** 2 * (1 + 1e-9)
