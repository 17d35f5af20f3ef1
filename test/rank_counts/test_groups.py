from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import (
    EXTREME,
    INF,
    NAN,
    POINTS,
    WHOLE,
    Point,
    as_records,
    assert_kind,
    assert_same,
    brute_force,
    line,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo.rank_counts import from_groups, from_outcomes

RECORDS = st.lists(st.tuples(st.integers(-2, 2), POINTS, WHOLE), min_size=2, max_size=20)


def has_a_comparison(records: list[tuple[int, Point, float]]) -> bool:
    pairs = {(group, x) for group, x, _ in records}
    return len(pairs) > len({group for group, _ in pairs})


@given(RECORDS)
def test_records_match_brute_force(records: list[tuple[int, Point, float]]) -> None:
    assume(has_a_comparison(records))
    expected = []
    for group in sorted({g for g, _, _ in records}):
        X, Y = [x for g, x, _ in records if g == group], [y for g, _, y in records if g == group]
        counts = brute_force(X, Y)
        if len(counts) > 1:
            expected += [(x, float(counts[x]), len(counts) - 1.0) for x in sorted(counts)]
    groups, X, Y = zip(*records, strict=True)
    assert as_records(from_groups(tensor(X), tensor(Y), torch.tensor(groups))) == expected


@given(st.lists(st.tuples(POINTS, EXTREME), min_size=2, max_size=15), st.integers(-9, 9))
def test_one_group_is_the_outcomes(records: list[tuple[Point, float]], label: int) -> None:
    X, Y = tensor([x for x, _ in records]), tensor([y for _, y in records]).unsqueeze(-1)
    assume(X.unique(dim=0).shape[0] >= 2)
    groups = torch.full(Y.shape, label)
    assert_same(from_groups(X, Y, groups), from_outcomes(X, Y))


@given(RECORDS, st.randoms())
def test_order_of_evaluations_and_units_of_groups_do_not_matter(
    records: list[tuple[int, Point, float]], random: Any
) -> None:
    assume(has_a_comparison(records))
    shuffled = [(g, x, y * 2.0 ** (60 * g)) for g, x, y in records]
    random.shuffle(shuffled)
    first, second = (
        from_groups(tensor(X), tensor(Y), torch.tensor(groups))
        for groups, X, Y in (zip(*r, strict=True) for r in (records, shuffled))
    )
    assert_same(first, second)


def test_a_point_may_be_in_several_groups(tkwargs: dict[str, Any]) -> None:
    X = torch.tensor([[0.0], [1.0], [0.0], [2.0], [3.0], [7.0]], **tkwargs)
    Y = torch.tensor([1.0, 2.0, 9.0, 8.0, 7.0, 0.0], **tkwargs)
    groups = torch.tensor([5, 5, 1, 1, 1, 2], device=tkwargs["device"], dtype=torch.int32)
    data = from_groups(X, Y, groups)
    assert as_records(data) == [
        ((0.0,), 0.0, 2.0),
        ((2.0,), 1.0, 2.0),
        ((3.0,), 2.0, 2.0),
        ((0.0,), 1.0, 1.0),
        ((1.0,), 0.0, 1.0),
    ]
    assert data.num_points == 4
    assert_kind(data, tkwargs)


def test_groups_of_one_point_alone_say_what_to_do() -> None:
    for X, groups in ((line(3), [0, 1, 2]), (torch.zeros(3, 1, dtype=torch.float64), [0, 0, 1])):
        with pytest.raises(InputDataError, match=r"No group holds two distinct points.*one label"):
            from_groups(X, line(3), torch.tensor(groups))
    with pytest.raises(InputDataError, match="No group holds two distinct points"):
        from_groups(torch.zeros(0, 1), torch.zeros(0, 1), torch.zeros(0, dtype=torch.long))


@pytest.mark.parametrize("shape", [(2,), (3, 2), (1, 3), ()])
def test_wrong_shapes_say_what_to_do(shape: tuple[int, ...]) -> None:
    with pytest.raises(BotorchTensorDimensionError, match="groups of shape N, one label for each"):
        from_groups(line(3), line(3), torch.zeros(shape, dtype=torch.long))


def test_wrong_kinds_of_labels_say_what_to_do() -> None:
    for dtype in (torch.float64, torch.bool):
        with pytest.raises(InputDataError, match=r"groups must hold integer labels.*groups.long"):
            from_groups(line(3), line(3), torch.zeros(3, dtype=dtype))
    with pytest.raises(InputDataError, match=r"groups must be on the device.*groups.to\(X.device"):
        from_groups(line(3), line(3), torch.zeros(3, dtype=torch.long, device="meta"))


@pytest.mark.parametrize("outcome", [NAN, INF])
def test_errors_of_outcomes_are_raised(outcome: float) -> None:
    with pytest.raises(InputDataError, match="train_Y holds"):
        from_groups(line(2), tensor([0.0, outcome]), torch.tensor([0, 0]))
