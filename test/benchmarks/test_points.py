import math
from collections import Counter
from typing import Any

import pytest
import torch

from botorch_popbo.benchmarks.points import (
    OutsideError,
    check_membership,
    uniform_point,
)
from botorch_popbo.space import Space

SPACE = Space.read(
    {
        "rate": (1e-4, 1.0, "log"),
        "share": (-1.0, 3.0),
        "depth": (1, 3),
        "kernel": ["rbf", "linear", "poly"],
        "dropout": [0.0, 0.25],
    }
)
POINTS = [uniform_point(SPACE, "some", 3, trial) for trial in range(3000)]


def test_points_are_uniform_on_the_scale_of_their_parameter() -> None:
    logs = torch.tensor([math.log10(float(p["rate"])) for p in POINTS])
    shares = torch.tensor([float(p["share"]) for p in POINTS])
    for values, low, high in ((logs, -4.0, 0.0), (shares, -1.0, 3.0)):
        assert low <= float(values.min()) < low + 0.01 * (high - low)
        assert float(values.mean()) == pytest.approx((low + high) / 2, abs=0.03 * (high - low))
    for name, number in (("depth", 3), ("kernel", 3), ("dropout", 2)):
        counts = Counter(p[name] for p in POINTS)
        assert len(counts) == number
        assert all(abs(n * number / 3000 - 1) < 0.1 for n in counts.values())


def test_a_point_depends_on_problem_seed_and_trial_alone() -> None:
    state = torch.get_rng_state()
    assert uniform_point(SPACE, "some", 3, 7) == POINTS[7]
    for other in (("other", 3, 7), ("some", 4, 7), ("some", 3, 8)):
        assert uniform_point(SPACE, *other) != POINTS[7]
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rate", 2.0),
        ("rate", True),
        ("rate", math.nan),
        ("depth", 2.0),
        ("kernel", "cubic"),
        ("dropout", False),
    ],
)
def test_what_is_outside_is_named(name: str, value: Any) -> None:
    with pytest.raises(OutsideError, match=f"suggested {name} = "):
        check_membership(SPACE, {**POINTS[0], name: value})


def test_all_names_are_needed_and_the_last_digits_of_an_end_are_not() -> None:
    for point in POINTS[:20]:
        check_membership(SPACE, point)
    check_membership(SPACE, {**POINTS[0], "rate": 1.0 + 1e-12, "share": 3})
    with pytest.raises(OutsideError, match="where the names are"):
        check_membership(SPACE, {**POINTS[0], "extra": 1})
    with pytest.raises(OutsideError, match="where the names are"):
        check_membership(SPACE, {"rate": 0.1})
