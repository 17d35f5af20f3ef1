import math
from statistics import NormalDist
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
    assert_same,
    line,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo.rank_counts import chunks, from_noisy_outcomes, from_outcomes

VARIANCES = st.sampled_from([0.0, 0.25, 1.0, 9.0])
RECORDS = st.lists(st.tuples(POINTS, WHOLE, VARIANCES), min_size=2, max_size=12)


def merge(copies: list[tuple[float, float]]) -> tuple[float, float]:
    """Inverse-variance weighted mean and its variance, in plain Python."""
    if any(y == -INF for y, _ in copies):
        return -INF, 0.0
    exact = [y for y, v in copies if v == 0]
    if exact:
        return sum(exact) / len(exact), 0.0
    precision = sum(1 / v for _, v in copies)
    return sum(y / v for y, v in copies) / precision, 1 / precision


def is_better(y: float, v: float, rival: float, rival_v: float) -> float:
    if rival == -INF or y == -INF or v + rival_v == 0:
        # Rounding of a mean must not decide a tie.
        return float(rival > y and not math.isclose(rival, y, abs_tol=1e-12))
    return NormalDist().cdf((rival - y) / math.sqrt(v + rival_v))


def expected_counts(records: list[tuple[Point, float, float]]) -> dict[Point, float]:
    points = {x for x, _, _ in records}
    merged = {p: merge([(y, v) for x, y, v in records if x == p]) for p in points}
    return {
        p: sum(is_better(*merged[p], *merged[other]) for other in points if other != p)
        for p in points
    }


@given(RECORDS)
def test_counts_match_brute_force(records: list[tuple[Point, float, float]]) -> None:
    X, Y, Yvar = (list(column) for column in zip(*records, strict=True))
    assume(len(set(X)) >= 2)
    data = from_noisy_outcomes(tensor(X), tensor(Y), tensor(Yvar))
    assert as_dict(data) == pytest.approx(expected_counts(records), abs=1e-12)
    assert data.exposure.tolist() == [len(set(X)) - 1] * len(set(X))


@given(st.lists(st.tuples(POINTS, EXTREME), min_size=2, max_size=15))
def test_no_noise_is_the_strict_rank(records: list[tuple[Point, float]]) -> None:
    X, Y = tensor([x for x, _ in records]), tensor([y for _, y in records]).unsqueeze(-1)
    assume(X.unique(dim=0).shape[0] >= 2)
    assert_same(from_noisy_outcomes(X, Y, torch.zeros_like(Y)), from_outcomes(X, Y))


@given(st.lists(st.tuples(EXTREME, st.sampled_from([0.0, 5e-324, 1.0, 1.7e308]))))
def test_extreme_magnitudes_give_finite_counts(records: list[tuple[float, float]]) -> None:
    records = [(1.0, 1.0), (2.0, 0.0), *records]
    Y, Yvar = tensor([y for y, _ in records]), tensor([v for _, v in records])
    counts = from_noisy_outcomes(line(len(records)), Y, Yvar).counts
    assert counts.isfinite().all()
    # Every pair that is not strict has one expected winner.
    assert counts.sum() <= len(records) * (len(records) - 1) / 2 + 1e-9


def test_extreme_magnitudes_keep_their_probabilities() -> None:
    known = from_noisy_outcomes(line(2), tensor([0.0, 1.0]), tensor([0.5, 0.5])).counts
    for unit in (1e-150, 1e150):
        Y, Yvar = tensor([0.0, 1.0]) * unit, tensor([0.5, 0.5]) * unit**2
        scaled = from_noisy_outcomes(line(2), Y, Yvar).counts
        torch.testing.assert_close(scaled, known)
    Y = tensor([1e300, 1e300, -1e300, 1e-300, -1e-300])
    counts = from_noisy_outcomes(line(5), Y, torch.ones_like(Y)).counts
    assert counts.tolist() == [0.5, 0.5, 4.0, 2.5, 2.5]


def test_equal_noisy_outcomes_share_the_middle_rank(tkwargs: dict[str, Any]) -> None:
    X = torch.arange(3.0, **tkwargs).unsqueeze(-1)
    ones = torch.ones(3, 1, **tkwargs)
    data = from_noisy_outcomes(X, ones, ones)
    assert data.counts.tolist() == [1.0, 1.0, 1.0]
    assert_kind(data, tkwargs)


def test_failures_rank_below_every_success_whatever_the_noise() -> None:
    Y = tensor([-INF, -1e308, 0.0, -INF])
    # Nothing is asked of the variance of a failure.
    counts = from_noisy_outcomes(line(4), Y, tensor([NAN, 1e308, 1e308, -1.0])).counts
    assert counts.tolist() == [2.0, pytest.approx(1.0), pytest.approx(0.0), 2.0]
    failures = tensor([-INF, -INF])
    assert_same(
        from_noisy_outcomes(line(2), failures, torch.ones(2, dtype=torch.float64)),
        from_outcomes(line(2), failures),
    )


def test_one_failed_copy_fails_the_point() -> None:
    X, Y = tensor([[0.0], [0.0], [1.0]]), tensor([9.0, -INF, 0.0])
    assert from_noisy_outcomes(X, Y, tensor([0.0, 1.0, 1.0])).counts.tolist() == [1.0, 0.0]


def test_replicates_are_weighted_by_inverse_variance() -> None:
    X, Y = tensor([[0.0], [0.0], [1.0]]), tensor([0.0, 4.0, 1.0])
    # Weights 3/4 and 1/4: the mean is 1 and its variance 3/4.
    counts = from_noisy_outcomes(X, Y, tensor([1.0, 3.0, 1.0])).counts
    torch.testing.assert_close(counts, tensor([0.5, 0.5]))
    one_copy = from_noisy_outcomes(X[1:], tensor([1.0, 2.0]), tensor([0.75, 1.0])).counts
    merged = from_noisy_outcomes(X, tensor([0.0, 4.0, 2.0]), tensor([1.0, 3.0, 1.0])).counts
    torch.testing.assert_close(merged, one_copy)


def test_variance_is_estimated_from_replicates() -> None:
    X = tensor([[0.0], [0.0], [1.0], [1.0], [1.0], [2.0]])
    Y = tensor([0.0, 2.0, 3.0, 4.0, 5.0, 2.5])
    # Sums of squares 2 and 2 over 1 + 2 degrees of freedom; one copy of the last point.
    variance = 4 / 3
    known = from_noisy_outcomes(
        line(3), tensor([1.0, 4.0, 2.5]), tensor([variance / 2, variance / 3, variance])
    )
    torch.testing.assert_close(from_noisy_outcomes(X, Y).counts, known.counts)


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1.0, 1e160, 1e307])
def test_estimated_variance_does_not_depend_on_the_unit(unit: float) -> None:
    X, Y = tensor([[0.0], [0.0], [1.0], [2.0]]), tensor([0.0, 2.0, 1.5, -3.0])
    scaled = from_noisy_outcomes(X, Y * unit).counts
    torch.testing.assert_close(scaled, from_noisy_outcomes(X, Y).counts, rtol=1e-9, atol=1e-9)


def test_equal_replicates_show_no_noise_and_failed_ones_are_not_used() -> None:
    X, Y = tensor([[0.0], [0.0], [1.0], [1.0], [2.0]]), tensor([0.1, 0.1, 5.0, -INF, 0.1])
    assert_same(from_noisy_outcomes(X, Y), from_outcomes(X, Y))


@given(RECORDS, st.randoms(), st.booleans())
def test_order_of_evaluations_does_not_matter(
    records: list[tuple[Point, float, float]], random: Any, known: bool
) -> None:
    records = [((8.0, 8.0), 1.0, 1.0), ((8.0, 8.0), 1.7, 0.3), ((9.0, 9.0), 0.1, 0.0), *records]
    shuffled = list(records)
    random.shuffle(shuffled)
    first, second = (
        from_noisy_outcomes(tensor(X), tensor(Y), tensor(Yvar) if known else None)
        for X, Y, Yvar in (zip(*r, strict=True) for r in (records, shuffled))
    )
    assert_same(first, second)


def test_rounding_does_not_depend_on_the_order_of_many_copies() -> None:
    generator = torch.Generator().manual_seed(0)
    X = torch.randint(300, (2000, 1), generator=generator).double()
    Y, Yvar = torch.rand(2, 2000, generator=generator, dtype=torch.float64)
    order = torch.randperm(2000, generator=generator)
    for first, second in ((Yvar, Yvar[order]), (None, None)):
        assert_same(
            from_noisy_outcomes(X, Y, first), from_noisy_outcomes(X[order], Y[order], second)
        )


def test_increasing_linear_transforms_change_nothing() -> None:
    Y, Yvar = torch.randn(9, 1, dtype=torch.float64), torch.rand(9, 1, dtype=torch.float64)
    first = from_noisy_outcomes(line(9), Y, Yvar)
    second = from_noisy_outcomes(line(9), 3.0 * Y + 7.0, 9.0 * Yvar)
    torch.testing.assert_close(first.counts, second.counts)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Y, Yvar = torch.randn(23, dtype=torch.float64), torch.rand(23, dtype=torch.float64)
    whole = from_noisy_outcomes(line(23), Y, Yvar)
    monkeypatch.setattr(chunks, "_PAIRS", 50)
    torch.testing.assert_close(from_noisy_outcomes(line(23), Y, Yvar).counts, whole.counts)


@pytest.mark.parametrize("variance", [-1.0, NAN, INF])
def test_bad_variances_say_what_to_do(variance: float) -> None:
    with pytest.raises(InputDataError, match=r"train_Yvar holds negative.*squared standard errors"):
        from_noisy_outcomes(line(2), tensor([0.0, 1.0]), tensor([1.0, variance]))


def test_wrong_kinds_of_variances_say_what_to_do() -> None:
    Y = torch.zeros(3, 1, dtype=torch.float64)
    with pytest.raises(BotorchTensorDimensionError, match=r"train_Yvar of shape N x 1.*\(2, 1\)"):
        from_noisy_outcomes(line(3), Y, Y[:2])
    with pytest.raises(InputDataError, match=r"train_X and train_Yvar must share.*Yvar.to\(X\)"):
        from_noisy_outcomes(line(3), Y, Y.float())


@pytest.mark.parametrize("Y", [[0.0, 1.0, 2.0], [-INF, 0.0, 1.0]])
def test_estimating_without_replicates_says_what_to_do(Y: list[float]) -> None:
    X = tensor([[0.0], [1.0], [2.0]] if Y[0] == 0 else [[0.0], [0.0], [2.0]])
    with pytest.raises(InputDataError, match=r"no point was evaluated twice without.*Pass Yvar"):
        from_noisy_outcomes(X, tensor(Y))


def test_errors_of_outcomes_are_raised() -> None:
    with pytest.raises(InputDataError, match="train_Y holds NaN"):
        from_noisy_outcomes(line(2), tensor([0.0, NAN]), tensor([0.0, 0.0]))
    with pytest.raises(InputDataError, match=r"train_X holds 1. Evaluate more points"):
        from_noisy_outcomes(line(1), tensor([0.0]), tensor([0.0]))
