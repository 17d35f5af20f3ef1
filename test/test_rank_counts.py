import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo import RankCounts

Point = tuple[float, ...]
INF = math.inf
NAN = math.nan

# Whole outcomes, so that the mean of replicates has no rounding of its own; a few of them, to tie.
WHOLE = st.one_of(st.integers(-5, 5).map(float), st.just(-INF))
POINTS = st.tuples(st.integers(0, 2).map(float), st.integers(0, 2).map(float))
EXTREME = st.one_of(
    st.sampled_from([1e300, -1e300, 1e-300, -1e-300, 0.0, -0.0, 5e-324, 1.7e308, -INF]),
    st.floats(allow_nan=False, allow_infinity=False),
)


def brute_force(X: list[Point], Y: list[float]) -> dict[Point, int]:
    """Every distinct point's number of strictly better points, by comparing all pairs."""
    outcomes: dict[Point, list[float]] = defaultdict(list)
    for point, outcome in zip(X, Y, strict=True):
        outcomes[point].append(outcome)
    means = {
        point: -INF if -INF in values else sum(map(Fraction, values)) / len(values)
        for point, values in outcomes.items()
    }
    return {p: sum(means[other] > means[p] for other in means) for p in means}


def ranked(X: list[Point], Y: list[float], **tkwargs: Any) -> RankCounts:
    tkwargs = {"dtype": torch.float64} | tkwargs
    return RankCounts.from_outcomes(torch.tensor(X, **tkwargs), torch.tensor(Y, **tkwargs))


def as_dict(data: RankCounts) -> dict[Point, float]:
    return {tuple(x): k for x, k in zip(data.X.tolist(), data.counts.tolist(), strict=True)}


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
    for values in (data.X, data.counts, data.exposure):
        assert values.dtype == tkwargs["dtype"]
        assert values.device.type == tkwargs["device"].type


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
    column, vector = RankCounts.from_outcomes(X, Y), RankCounts.from_outcomes(X, Y.squeeze(-1))
    assert torch.equal(column.counts, vector.counts)


def test_inputs_are_left_as_they_were() -> None:
    X, Y = torch.rand(6, 2), torch.rand(6, 1)
    kept_X, kept_Y = X.clone(), Y.clone()
    RankCounts.from_outcomes(X, Y)
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
        RankCounts.from_outcomes(torch.tensor(X, **tkwargs), torch.tensor(Y, **tkwargs))


def test_no_points_say_what_to_do() -> None:
    with pytest.raises(InputDataError, match=r"train_X holds 0\. Evaluate more points"):
        RankCounts.from_outcomes(torch.zeros(0, 2), torch.zeros(0, 1))


@pytest.mark.parametrize(
    ("X_shape", "Y_shape"),
    [((3,), (3,)), ((2, 3, 1), (2, 3, 1)), ((3, 1), (2, 1)), ((3, 1), (3, 2)), ((3, 1), (1, 3))],
)
def test_wrong_shapes_say_what_to_do(X_shape: tuple[int, ...], Y_shape: tuple[int, ...]) -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"of shape N x 1, but got.*reduced to"):
        RankCounts.from_outcomes(torch.zeros(X_shape), torch.zeros(Y_shape))


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
        RankCounts.from_outcomes(torch.zeros(3, 1, dtype=X_dtype), torch.zeros(3, dtype=Y_dtype))


@pytest.mark.parametrize(
    ("X_shape", "counts_shape", "exposure_shape"),
    [((3,), (3,), (3,)), ((3, 1), (2,), (3,)), ((3, 1), (3,), (1,)), ((3, 1), (3, 1), (3, 1))],
)
def test_constructor_checks_shapes(
    X_shape: tuple[int, ...], counts_shape: tuple[int, ...], exposure_shape: tuple[int, ...]
) -> None:
    with pytest.raises(BotorchTensorDimensionError, match="m x d with counts and exposure of sh"):
        RankCounts(torch.zeros(X_shape), torch.zeros(counts_shape), torch.ones(exposure_shape))


@pytest.mark.parametrize("count", [-1.0, 2.5, NAN])
def test_constructor_checks_that_counts_fit_their_exposure(count: float) -> None:
    with pytest.raises(InputDataError, match="between 0 and its exposure"):
        RankCounts(torch.zeros(2, 1), torch.tensor([0.0, count]), torch.tensor([2.0, 2.0]))


def test_constructor_accepts_lists_of_different_length_and_expected_counts() -> None:
    data = RankCounts(torch.zeros(3, 2), torch.tensor([0.0, 1.5, 7.0]), torch.tensor([1.0, 2, 7]))
    assert len(data) == 3
