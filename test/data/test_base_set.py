from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import (
    INF,
    POINTS,
    WHOLE,
    Point,
    as_dict,
    assert_kind,
    assert_same,
    line,
    means,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo.data import from_base_set


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=12), st.sets(POINTS))
def test_counts_match_brute_force(records: list[tuple[Point, float]], base: set[Point]) -> None:
    X, Y = [x for x, _ in records], [y for _, y in records]
    assume(len(set(X)) >= 2)
    base = (base | {min(X)}) - {max(X)}
    mean = means(X, Y)
    data = from_base_set(tensor(X), tensor(Y), base=torch.tensor([x in base for x in X]))
    rivals = [mean[p] for p in mean if p in base]
    assert as_dict(data) == {p: sum(r > mean[p] for r in rivals) for p in mean if p not in base}
    assert data.exposure.tolist() == [len(rivals)] * len(data)


@pytest.mark.parametrize("num_points", [2, 3, 10, 11])
def test_half_of_the_points_is_drawn(num_points: int) -> None:
    X, Y = line(num_points), torch.randn(num_points, dtype=torch.float64)
    data = from_base_set(X, Y, seeded())
    assert data.exposure.tolist() == [num_points // 2] * (num_points - num_points // 2)
    drawn = ~torch.isin(X.squeeze(-1), data.X.squeeze(-1))
    assert_same(from_base_set(X, Y, base=drawn), data)


@pytest.mark.usefixtures("rng_untouched")
def test_the_generator_decides() -> None:
    X, Y = line(40), line(40)
    assert_same(from_base_set(X, Y, seeded(1)), from_base_set(X, Y, seeded(1)))
    assert not torch.equal(from_base_set(X, Y, seeded(1)).X, from_base_set(X, Y, seeded(2)).X)


def test_counts_reach_the_size_of_the_base_set() -> None:
    data = from_base_set(line(4), tensor([9.0, 5.0, 1.0, 0.0]), base=torch.tensor([0, 1, 1, 0]) > 0)
    assert data.counts.tolist() == [0.0, 2.0]


def test_order_of_evaluations_and_increasing_transforms_change_nothing() -> None:
    X, Y = line(9) % 6, torch.randn(9, dtype=torch.float64).round()
    first = from_base_set(X, Y, seeded())
    assert_same(from_base_set(X.flip(0), Y.flip(0), seeded()), first)
    distinct = torch.randn(9, dtype=torch.float64)
    assert_same(
        from_base_set(line(9), distinct, seeded()), from_base_set(line(9), distinct.exp(), seeded())
    )


def test_extremes_and_failures() -> None:
    Y = tensor([1e300, -1e300, 1e-300, -INF, 0.0, -INF])
    data = from_base_set(line(6), Y, base=torch.tensor([1, 0, 0, 1, 1, 0]) > 0)
    assert data.counts.tolist() == [2.0, 1.0, 2.0]


def test_dtype_and_device_are_kept(tkwargs: dict[str, Any]) -> None:
    X = torch.arange(5.0, **tkwargs).unsqueeze(-1)
    assert_kind(from_base_set(X, X, seeded()), tkwargs)
    assert_kind(from_base_set(X, X, base=X.squeeze(-1) > 2), tkwargs)


@pytest.mark.parametrize(
    ("base", "error", "match"),
    [
        (torch.ones(3) > 0, InputDataError, "leave out at least one"),
        (torch.ones(3) < 0, InputDataError, "at least one point"),
        (torch.tensor([True, False, True]), InputDataError, "some copies of a point and not oth"),
        (torch.tensor([0, 2]), BotorchTensorDimensionError, r"mask over the 3 rows.*got \(2,\)"),
        (torch.tensor([0, 1, 1]), InputDataError, "must be a boolean mask.*torch.int64"),
    ],
)
def test_bad_masks_say_what_to_do(base: torch.Tensor, error: type[Exception], match: str) -> None:
    X = tensor([[0.0], [0.0], [1.0]])
    with pytest.raises(error, match=match):
        from_base_set(X, X, base=base)


def test_one_of_generator_and_mask_is_needed() -> None:
    with pytest.raises(InputDataError, match=r"either a generator.*and not both"):
        from_base_set(line(3), line(3))
    with pytest.raises(InputDataError, match=r"either a generator.*and not both"):
        from_base_set(line(3), line(3), seeded(), torch.tensor([True, False, False]))


def test_errors_of_outcomes_are_raised() -> None:
    with pytest.raises(InputDataError, match=r"train_Y holds \+inf"):
        from_base_set(line(2), tensor([0.0, INF]), seeded())
    with pytest.raises(InputDataError, match=r"train_X holds 1. Evaluate more points"):
        from_base_set(line(1), line(1), seeded())
