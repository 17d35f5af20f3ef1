import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from botorch_popbo.benchmarks.points import OutsideError, check_membership, uniform_point
from botorch_popbo.space import Space

SPACE = Space.read(
    {
        "rate": (1e-4, 1.0, "log"),
        "share": (-1.0, 3.0),
        "depth": (1, 3),
        "kernel": ["rbf", "linear", "poly"],
        "dropout": [0.0, 0.25, 0.5],
    }
)
POINTS = [uniform_point(SPACE, "some", 3, trial) for trial in range(3000)]


def test_points_are_uniform_on_the_scale_of_their_parameter() -> None:
    rates, shares, *discrete = np.array([[*point.values()] for point in POINTS], dtype=object).T
    for values, low in ((np.log10(rates.astype(float)), -4), (shares.astype(float), -1)):
        assert stats.kstest(values, stats.uniform(low, 4).cdf).pvalue > 0.01
    for values in discrete:
        _, counts = np.unique(values.astype(str), return_counts=True)
        assert len(counts) == 3
        assert stats.chisquare(counts).pvalue > 0.01


def test_a_point_depends_on_problem_seed_and_trial_alone() -> None:
    state = torch.get_rng_state()
    assert uniform_point(SPACE, "some", 3, 7) == POINTS[7]
    for other in (("other", 3, 7), ("some", 4, 7), ("some", 3, 8)):
        assert uniform_point(SPACE, *other) != POINTS[7]
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rate": 2.0}, "suggested rate = "),
        ({"rate": True}, "suggested rate = "),
        ({"rate": math.nan}, "suggested rate = "),
        ({"depth": 2.0}, "suggested depth = "),
        ({"kernel": "cubic"}, "suggested kernel = "),
        ({"dropout": False}, "suggested dropout = "),
        ({"extra": 1}, "but the names are"),
    ],
)
def test_what_is_outside_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(OutsideError, match=message):
        check_membership(SPACE, {**POINTS[0], **changed})


def test_all_names_are_needed_and_the_last_digits_of_an_end_are_not() -> None:
    for point in POINTS[:20]:
        check_membership(SPACE, point)
    check_membership(SPACE, {**POINTS[0], "rate": 1.0 + 1e-12, "share": 3})
    with pytest.raises(OutsideError, match="but the names are"):
        check_membership(SPACE, {"rate": 0.1})
