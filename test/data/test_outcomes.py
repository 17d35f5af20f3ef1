import math
from statistics import NormalDist
from typing import Any

import pytest
import torch
from helpers import ranking
from helpers.ranking import (
    INF,
    NAN,
    POINTS,
    WHOLE,
    as_counts,
    as_dict,
    as_records,
    line,
    tensor,
    unmeasured,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo.data import from_groups, from_outcomes, from_replicates

Record = tuple[ranking.Point, float, float]
EXACT = st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=15)
VARIANCES = st.sampled_from([0.0, 0.25, 1.0, 9.0])
NOISY = st.lists(st.tuples(POINTS, WHOLE, VARIANCES), min_size=2, max_size=12)
GROUPED = st.lists(st.tuples(POINTS, WHOLE, st.integers(-2, 2)), min_size=2, max_size=20)


def columns(records: list[Any]) -> tuple[Tensor, ...]:
    return tuple(tensor(column) for column in zip(*records, strict=True))


@given(EXACT)
def test_counts_match_brute_force_with_ties_and_replicates(
    records: list[tuple[ranking.Point, float]],
) -> None:
    assume(len({x for x, _ in records}) >= 2)
    expected = ranking.brute_force(*zip(*records, strict=True))
    found = as_records(from_outcomes(*columns(records)))
    assert found == [(p, expected[p], len(expected) - 1.0) for p in sorted(expected)]


@given(st.lists(ranking.EXTREME, min_size=2, max_size=20))
def test_counts_match_brute_force_at_extreme_magnitudes(outcomes: list[float]) -> None:
    X = [(float(i),) for i in range(len(outcomes))]
    order = from_outcomes(tensor(X), tensor(outcomes))
    assert as_dict(order) == ranking.brute_force(X, outcomes)


@given(st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=15))
def test_strictly_increasing_transforms_change_nothing_but_distances(outcomes: list[float]) -> None:
    X, rank = line(len(outcomes)), sorted(set(outcomes)).index
    order = from_outcomes(X, tensor(outcomes))
    for transformed in (
        [math.exp(y) for y in outcomes],
        [y**3 for y in outcomes],
        [1e-290 * y for y in outcomes],
        [float(rank(y)) for y in outcomes],
        [-INF if y == min(outcomes) else y for y in outcomes],
    ):
        other = from_outcomes(X, tensor(transformed))
        assert unmeasured(other).agrees_with(unmeasured(order))
        assert other.agrees_with(order) == (transformed == outcomes)
        assert as_counts(other) == as_counts(order)


COPIES = [([0] * n + [1], [y] * (n + 1), [0, 0]) for n in (2, 3, 10) for y in (0.1, -1.1, 1e-300)]


@pytest.mark.parametrize(
    ("X", "Y", "expected"),
    [
        ([0, 0, 1], [1e308, 1e308, 1.5e308], [1, 0]),  # no overflow
        ([0.0, -0.0, 1], [1.0, 2.0, 3.0], [1, 0]),  # the two zeros are one point
        ([0, 1, 2, 3], [-INF, -1e308, -INF, 5.0], [2, 1, 2, 0]),  # failures tie at the end
        *COPIES,  # equal copies tie with a single one
    ],
)
def test_known_cases(X: list[float], Y: list[float], expected: list[float]) -> None:
    assert as_counts(from_outcomes(tensor(X).unsqueeze(-1), tensor(Y))) == expected


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


@given(NOISY)
def test_noisy_outcomes_match_brute_force(records: list[Record]) -> None:
    merged = {p: merge([(y, v) for x, y, v in records if x == p]) for p, _, _ in sorted(records)}
    assume(len(merged) >= 2)
    order = from_outcomes(*columns(records))
    expected = {p: sum(is_better(*merged[p], *merged[q]) for q in merged if q != p) for p in merged}
    assert as_dict(order) == pytest.approx(expected, abs=1e-12)
    assert [tuple(x) for x in order.X.tolist()] == list(merged)
    variance = order.variance.nan_to_num(0.0)  # of failures alone it is not known
    for found, index in ((order.score, 0), (variance, 1)):
        assert found.tolist() == pytest.approx([pair[index] for pair in merged.values()])


@given(st.lists(st.tuples(ranking.EXTREME, st.sampled_from([0.0, 5e-324, 1.0, 1e300, 1.7e308]))))
def test_extreme_magnitudes_give_finite_counts(records: list[tuple[float, float]]) -> None:
    records = [(1.0, 1.0), (2.0, 0.0), *records]
    found = tensor(as_counts(from_outcomes(line(len(records)), *columns(records))))
    assert found.isfinite().all()
    # Every pair that is not strict has one expected winner.
    assert found.sum() <= len(records) * (len(records) - 1) / 2 + 1e-9


@pytest.mark.parametrize(
    ("X", "Y", "Yvar", "expected"),
    [
        (range(5), [1e300, 1e300, -1e300, 1e-300, -1e-300], [1] * 5, [0.5, 0.5, 4, 2.5, 2.5]),
        # Failures are worse whatever the noise, and nothing is asked of their variance.
        (range(4), [-INF, -1e308, 0, -INF], [NAN, 1e308, 1e308, -1], [2, 1, 0, 2]),
    ],
)
def test_known_noisy_cases(
    X: list[float], Y: list[float], Yvar: list[float], expected: list[float]
) -> None:
    order = from_outcomes(tensor([[x] for x in X]), tensor(Y), tensor(Yvar))
    assert as_counts(order) == pytest.approx(expected)


def test_an_unknown_variance_is_typical() -> None:
    Y = tensor([0.0, 2.0, 3.0, -INF])
    order = from_outcomes(line(4), Y, tensor([1.0, NAN, 5.0, 100.0]))
    assert order.variance.tolist() == [1.0, 3.0, 5.0, 0.0]
    ranking.assert_same(
        from_outcomes(line(4), Y, NAN * torch.ones_like(Y)), from_outcomes(line(4), Y)
    )


def test_a_typical_variance_does_not_depend_on_the_order_of_evaluations() -> None:
    Y, Yvar = tensor([0.0, 1.0, 2.0, 3.0]), tensor([1.0, 1e-16, 1e-16, NAN])
    order, mirrored = from_outcomes(line(4), Y, Yvar), from_outcomes(-line(4), -Y, Yvar.flip(0))
    assert torch.equal(order.variance.sort().values, mirrored.variance.sort().values)


def test_variance_is_estimated_from_replicates() -> None:
    X = tensor([[0.0], [0.0], [1.0], [1.0], [1.0], [2.0]])
    order = from_replicates(X, tensor([0.0, 2.0, 3.0, 4.0, 5.0, 2.5]))
    # Sums of squares 2 and 2 over 1 + 2 degrees of freedom; one copy of the last point.
    Yvar = 4 / 3 / tensor([2.0, 3.0, 1.0])
    assert as_counts(order) == pytest.approx(
        as_counts(from_outcomes(line(3), tensor([1.0, 4.0, 2.5]), Yvar))
    )


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1.0, 1e160, 1e307])
def test_estimated_variance_does_not_depend_on_the_unit(unit: float) -> None:
    X, Y = tensor([[0.0], [0.0], [1.0], [2.0]]), tensor([0.0, 2.0, 1.5, -3.0])
    scaled = from_replicates(X, Y * unit)
    assert scaled.variance.isfinite().all()
    assert as_counts(scaled) == pytest.approx(as_counts(from_replicates(X, Y)), abs=1e-9)


def test_equal_replicates_show_no_noise_and_failed_ones_are_not_used() -> None:
    X, Y = tensor([[0.0], [0.0], [1.0], [1.0], [2.0]]), tensor([0.1, 0.1, 5.0, -INF, 0.1])
    found = from_replicates(X, Y)
    ranking.assert_same(found, from_outcomes(X, Y, torch.zeros_like(Y)))
    assert found.is_exact
    assert not from_outcomes(X, Y).is_exact
    assert not from_outcomes(X, Y, torch.tensor([0.0, 0.0, 0.0, 0.0, 0.1]).double()).is_exact


@given(GROUPED, st.randoms())
def test_groups_match_brute_force_in_any_order_and_unit(
    records: list[tuple[ranking.Point, float, int]], random: Any
) -> None:
    expected = []
    for group in sorted({g for _, _, g in records}):
        found = ranking.brute_force(*zip(*[r[:2] for r in records if r[2] == group], strict=True))
        if len(found) > 1:
            expected += [(x, float(found[x]), len(found) - 1.0) for x in sorted(found)]
    assume(expected)
    X, Y, groups = columns(records)
    order = from_groups(X, Y, groups.long())
    assert as_records(order) == expected
    assert torch.equal(order.list_index, order.task_index)
    shuffled = [(x, y * 2.0 ** (60 * g), g) for x, y, g in random.sample(records, len(records))]
    X, Y, groups = columns(shuffled)
    other = from_groups(X, Y, groups.int().unsqueeze(-1))
    assert unmeasured(other).agrees_with(unmeasured(order))


@pytest.mark.parametrize("noise", ["none", "known", "estimated"])
def test_rounding_does_not_depend_on_the_order_of_many_copies(noise: str) -> None:
    generator = torch.Generator().manual_seed(0)
    X = torch.randint(300, (2000, 1), generator=generator).double()
    Y, Yvar = torch.rand(2, 2000, generator=generator, dtype=torch.float64)
    source = from_replicates if noise == "estimated" else from_outcomes
    columns = (X, Y, Yvar) if noise == "known" else (X, Y)
    shuffle = torch.randperm(2000, generator=generator)
    ranking.assert_same(source(*(column[shuffle] for column in columns)), source(*columns))


def test_a_copy_of_hardly_any_weight_takes_no_digits_away() -> None:
    X, Y = tensor([[0.0], [0.0], [1.0]]), tensor([-1e20, -0.5, -0.4])
    assert from_outcomes(X, Y, tensor([1e40, 1e-4, 1.0])).score.tolist() == [-0.5, -0.4]
