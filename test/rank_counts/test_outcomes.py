import math
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
    as_dict,
    assert_kind,
    brute_force,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo import RankCounts
from botorch_popbo.rank_counts import from_outcomes


def ranked(X: list[Point], Y: list[float], **tkwargs: Any) -> RankCounts:
    return from_outcomes(tensor(X, **tkwargs), tensor(Y, **tkwargs))


@given(st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=15))
def test_counts_match_brute_force_with_ties_and_replicates(
    records: list[tuple[Point, float]],
) -> None:
    X, Y = [x for x, _ in records], [y for _, y in records]
    assume(len(set(X)) >= 2)
    data = ranked(X, Y)
    assert as_dict(data) == brute_force(X, Y)
    assert data.exposure.tolist() == [len(set(X)) - 1] * len(set(X))


@given(st.lists(EXTREME, min_size=2, max_size=20))
def test_counts_match_brute_force_at_extreme_magnitudes(outcomes: list[float]) -> None:
    X = [(float(i),) for i in range(len(outcomes))]
    assert as_dict(ranked(X, outcomes)) == brute_force(X, outcomes)


def test_tied_points_share_the_better_rank(tkwargs: dict[str, Any]) -> None:
    data = ranked([(0.0,), (1.0,), (2.0,)], [2.0, 2.0, 1.0], **tkwargs)
    assert data.counts.tolist() == [0.0, 0.0, 2.0]
    assert_kind(data, tkwargs)


def test_replicates_are_merged_by_their_mean() -> None:
    # The copies of 0 have the best and the worst outcome, their mean is in the middle.
    data = ranked([(0.0,), (0.0,), (1.0,), (2.0,)], [10.0, -10.0, 1.0, -1.0])
    assert as_dict(data) == {(0.0,): 1, (1.0,): 0, (2.0,): 2}
    assert data.exposure.tolist() == [2.0, 2.0, 2.0]
    assert len(data) == 3


@pytest.mark.parametrize("copies", [2, 3, 10])
@pytest.mark.parametrize("outcome", [0.1, -1.1, 1e-300])
def test_equal_replicates_tie_with_a_single_evaluation(copies: int, outcome: float) -> None:
    data = ranked([(0.0,)] * copies + [(1.0,)], [outcome] * (copies + 1))
    assert data.counts.tolist() == [0.0, 0.0]


def test_order_of_replicates_does_not_matter() -> None:
    X = [(0.0,), (0.0,), (0.0,), (1.0,)]
    forward, backward = ranked(X, [0.1, 0.2, 0.3, 0.2]), ranked(X, [0.3, 0.2, 0.1, 0.2])
    assert torch.equal(forward.counts, backward.counts)


def test_replicates_at_extreme_magnitudes_do_not_overflow() -> None:
    data = ranked([(0.0,), (0.0,), (1.0,)], [1e308, 1e308, 1.5e308])
    assert as_dict(data) == {(0.0,): 1, (1.0,): 0}


def test_the_two_zeros_are_one_point() -> None:
    assert len(ranked([(0.0,), (-0.0,), (1.0,)], [1.0, 2.0, 3.0])) == 2


@given(st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=12), st.randoms())
def test_order_of_evaluations_does_not_matter(
    records: list[tuple[Point, float]], random: Any
) -> None:
    assume(len({x for x, _ in records}) >= 2)
    shuffled = list(records)
    random.shuffle(shuffled)
    first, second = (ranked([x for x, _ in r], [y for _, y in r]) for r in (records, shuffled))
    assert torch.equal(first.X, second.X)
    assert torch.equal(first.counts, second.counts)


@given(st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=15, unique=False))
def test_strictly_increasing_transforms_change_nothing(outcomes: list[float]) -> None:
    X = [(float(i), -float(i)) for i in range(len(outcomes))]
    counts = ranked(X, outcomes).counts
    order = {y: float(i) for i, y in enumerate(sorted(set(outcomes)))}
    for transformed in (
        [math.exp(y) for y in outcomes],
        [y**3 for y in outcomes],
        [1e-290 * y for y in outcomes],
        [order[y] for y in outcomes],
        [-INF if y == min(outcomes) else y for y in outcomes],
    ):
        assert torch.equal(ranked(X, transformed).counts, counts)


def test_failures_rank_below_every_success_and_tie() -> None:
    data = ranked([(0.0,), (1.0,), (2.0,), (3.0,)], [-INF, -1e308, -INF, 5.0])
    assert data.counts.tolist() == [2.0, 1.0, 2.0, 0.0]


def test_outcomes_may_be_a_column_or_a_vector() -> None:
    X, Y = torch.rand(6, 2), torch.rand(6, 1)
    column, vector = from_outcomes(X, Y), from_outcomes(X, Y.squeeze(-1))
    assert torch.equal(column.counts, vector.counts)


def test_inputs_are_left_as_they_were() -> None:
    X, Y = torch.rand(6, 2), torch.rand(6, 1)
    kept_X, kept_Y = X.clone(), Y.clone()
    from_outcomes(X, Y)
    assert torch.equal(X, kept_X)
    assert torch.equal(Y, kept_Y)


@pytest.mark.parametrize(
    ("X", "Y", "match"),
    [
        ([[0.0], [NAN]], [1.0, 2.0], "train_X holds NaN or infinite values. Remove or repair"),
        ([[0.0], [INF]], [1.0, 2.0], "train_X holds NaN or infinite values. Remove or repair"),
        ([[0.0], [-INF]], [1.0, 2.0], "train_X holds NaN or infinite values. Remove or repair"),
        ([[0.0], [1.0]], [1.0, NAN], "train_Y holds NaN. Drop those rows, or set them to -inf"),
        ([[0.0], [1.0]], [1.0, INF], r"train_Y holds \+inf.*use -inf: larger outcomes are better"),
        ([[0.0]], [1.0], "two distinct points.*train_X holds 1. Evaluate more points"),
        ([[0.0], [0.0]], [1.0, 2.0], "two distinct points.*train_X holds 1. Evaluate more"),
    ],
)
def test_bad_values_say_what_to_do(
    X: list[list[float]], Y: list[float], match: str, tkwargs: dict[str, Any]
) -> None:
    with pytest.raises(InputDataError, match=match):
        from_outcomes(torch.tensor(X, **tkwargs), torch.tensor(Y, **tkwargs))


def test_no_points_say_what_to_do() -> None:
    with pytest.raises(InputDataError, match=r"train_X holds 0\. Evaluate more points"):
        from_outcomes(torch.zeros(0, 2), torch.zeros(0, 1))


@pytest.mark.parametrize(
    ("X_shape", "Y_shape"),
    [
        ((3,), (3,)),
        ((2, 3, 1), (2, 3, 1)),
        ((3, 1), (2, 1)),
        ((3, 1), (3, 2)),
        ((3, 1), (1, 3)),
        ((3, 0), (3, 1)),
    ],
)
def test_wrong_shapes_say_what_to_do(X_shape: tuple[int, ...], Y_shape: tuple[int, ...]) -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"of shape N x 1, but got.*reduced to"):
        from_outcomes(torch.zeros(X_shape), torch.zeros(Y_shape))


@pytest.mark.parametrize(
    ("X_dtype", "Y_dtype"),
    [
        (torch.int64, torch.int64),
        (torch.int64, torch.float64),
        (torch.float64, torch.int64),
        (torch.float64, torch.float32),
        (torch.float32, torch.float64),
        (torch.bool, torch.bool),
    ],
)
def test_wrong_dtypes_say_what_to_do(X_dtype: torch.dtype, Y_dtype: torch.dtype) -> None:
    with pytest.raises(InputDataError, match=r"share one floating-point dtype.*Y.to\(X\)"):
        from_outcomes(torch.zeros(3, 1, dtype=X_dtype), torch.zeros(3, dtype=Y_dtype))


def test_points_come_back_sorted_and_without_gradients() -> None:
    X = torch.rand(50, 3, dtype=torch.float64).round(decimals=1).requires_grad_()
    data = from_outcomes(X, torch.rand(50, 1, dtype=torch.float64, requires_grad=True))
    rows = data.X.tolist()
    assert rows == sorted(rows)
    assert not any(v.requires_grad for v in (data.X, data.counts, data.exposure))


def test_many_points_are_ranked_in_any_order() -> None:
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(20_000, generator=generator)
    X = torch.stack([order.double(), torch.rand(20_000, generator=generator).double()], dim=-1)
    data = from_outcomes(X, -order.double())
    assert torch.equal(data.counts, torch.arange(20_000.0, dtype=torch.float64))
