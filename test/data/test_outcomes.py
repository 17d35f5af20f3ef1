import math
from collections.abc import Callable
from dataclasses import fields
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
    as_counts,
    as_dict,
    as_records,
    assert_kind,
    assert_same,
    brute_force,
    line,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo import Order
from botorch_popbo.data import from_groups, from_outcomes, from_replicates

EXACT = st.lists(st.tuples(POINTS, WHOLE), min_size=2, max_size=15)
VARIANCES = st.sampled_from([0.0, 0.25, 1.0, 9.0])
NOISY = st.lists(st.tuples(POINTS, WHOLE, VARIANCES), min_size=2, max_size=12)
GROUPED = st.lists(st.tuples(st.integers(-2, 2), POINTS, WHOLE), min_size=2, max_size=20)

Source = Callable[[Tensor, Tensor], Order]
#: All sources of outcomes, called with outcomes that are exact and of one group.
SOURCES: dict[str, Source] = {
    "outcomes": from_outcomes,
    "variances": lambda X, Y: from_outcomes(X, Y, torch.zeros_like(Y)),
    "replicates": from_replicates,
    "groups": lambda X, Y: from_groups(
        X, Y, torch.full(X.shape[:1], 7, dtype=torch.long, device=X.device)
    ),
}


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest) -> Source:
    return SOURCES[request.param]


def noisy(records: list[tuple[Point, float, float]]) -> Order:
    return from_outcomes(*(tensor(column) for column in zip(*records, strict=True)))


class TestExactOutcomes:
    @given(EXACT)
    def test_counts_match_brute_force_with_ties_and_replicates(
        self, records: list[tuple[Point, float]]
    ) -> None:
        X, Y = [x for x, _ in records], [y for _, y in records]
        assume(len(set(X)) >= 2)
        expected = brute_force(X, Y)
        found = as_records(from_outcomes(tensor(X), tensor(Y)))
        assert found == [(p, expected[p], len(expected) - 1.0) for p in sorted(expected)]

    @given(st.lists(EXTREME, min_size=2, max_size=20))
    def test_counts_match_brute_force_at_extreme_magnitudes(self, outcomes: list[float]) -> None:
        X = line(len(outcomes))
        expected = brute_force([(float(i),) for i in range(len(X))], outcomes)
        assert as_dict(from_outcomes(X, tensor(outcomes))) == expected

    @given(st.lists(st.tuples(POINTS, EXTREME), min_size=2, max_size=15))
    def test_no_noise_and_one_group_are_the_outcomes(
        self, records: list[tuple[Point, float]]
    ) -> None:
        X, Y = tensor([x for x, _ in records]), tensor([y for _, y in records]).unsqueeze(-1)
        assume(X.unique(dim=0).shape[0] >= 2)
        order = from_outcomes(X, Y)
        for name in ("variances", "groups"):
            assert as_records(SOURCES[name](X, Y)) == as_records(order)
        assert SOURCES["groups"](X, Y).agrees_with(order)

    @given(st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=15))
    def test_strictly_increasing_transforms_change_nothing(self, outcomes: list[float]) -> None:
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
            assert other.agrees_with(order)
            assert as_counts(other) == as_counts(order)

    @pytest.mark.parametrize(
        ("X", "Y", "expected"),
        [
            pytest.param([0, 1, 2], [2.0, 2.0, 1.0], [0, 0, 2], id="ties share the better rank"),
            # The copies of 0 have the best and the worst outcome, their mean is in the middle.
            pytest.param([0, 0, 1, 2], [10.0, -10.0, 1.0, -1.0], [1, 0, 2], id="means"),
            pytest.param([0, 0, 1], [1e308, 1e308, 1.5e308], [1, 0], id="no overflow"),
            pytest.param([0.0, -0.0, 1], [1.0, 2.0, 3.0], [1, 0], id="the two zeros"),
            pytest.param([0, 1, 2, 3], [-INF, -1e308, -INF, 5.0], [2, 1, 2, 0], id="failures"),
            pytest.param([0, 0, 1], [9.0, -INF, 0.0], [1, 0], id="a failed copy"),
            *(
                pytest.param([0] * n + [1], [y] * (n + 1), [0, 0], id=f"{n} times {y}")
                for n in (2, 3, 10)
                for y in (0.1, -1.1, 1e-300)
            ),
        ],
    )
    def test_known_cases(self, X: list[float], Y: list[float], expected: list[float]) -> None:
        assert as_counts(from_outcomes(tensor(X).unsqueeze(-1), tensor(Y))) == expected

    def test_many_points_are_ranked_in_any_order(self) -> None:
        generator = torch.Generator().manual_seed(0)
        place = torch.randperm(20_000, generator=generator).double()
        X = torch.stack([place, torch.rand(20_000, generator=generator).double()], dim=-1)
        assert as_counts(from_outcomes(X, -place)) == list(range(20_000))


class TestNoisyOutcomes:
    @given(NOISY)
    def test_merged_outcomes_match_brute_force(
        self, records: list[tuple[Point, float, float]]
    ) -> None:
        assume(len({x for x, _, _ in records}) >= 2)
        order = noisy(records)
        merged = {
            p: _merge([(y, v) for x, y, v in records if x == p]) for p in {x for x, _, _ in records}
        }
        assert [tuple(x) for x in order.X.tolist()] == sorted(merged)
        assert order.score.tolist() == pytest.approx([merged[p][0] for p in sorted(merged)])
        assert order.variance.tolist() == pytest.approx([merged[p][1] for p in sorted(merged)])
        expected = {
            p: sum(_is_better(*merged[p], *merged[q]) for q in merged if q != p) for p in merged
        }
        assert as_dict(order) == pytest.approx(expected, abs=1e-12)

    @given(st.lists(st.tuples(EXTREME, st.sampled_from([0.0, 5e-324, 1.0, 1e300, 1.7e308]))))
    def test_extreme_magnitudes_give_finite_counts(
        self, records: list[tuple[float, float]]
    ) -> None:
        records = [(1.0, 1.0), (2.0, 0.0), *records]
        Y, Yvar = (tensor(column) for column in zip(*records, strict=True))
        found = tensor(as_counts(from_outcomes(line(len(records)), Y, Yvar)))
        assert found.isfinite().all()
        # Every pair that is not strict has one expected winner.
        assert found.sum() <= len(records) * (len(records) - 1) / 2 + 1e-9

    @pytest.mark.parametrize("unit", [1e-150, 1e150])
    def test_extreme_units_keep_the_probabilities(self, unit: float) -> None:
        Y, Yvar = tensor([0.0, 1.0]), tensor([0.5, 0.5])
        known = as_counts(from_outcomes(line(2), Y, Yvar))
        assert as_counts(from_outcomes(line(2), Y * unit, Yvar * unit**2)) == pytest.approx(known)

    @pytest.mark.parametrize(
        ("X", "Y", "Yvar", "expected"),
        [
            pytest.param([0, 1, 2], [1.0] * 3, [1.0] * 3, [1, 1, 1], id="ties share the middle"),
            pytest.param(
                range(5),
                [1e300, 1e300, -1e300, 1e-300, -1e-300],
                [1.0] * 5,
                [0.5, 0.5, 4, 2.5, 2.5],
                id="extreme outcomes",
            ),
            # Nothing is asked of the variance of a failure.
            pytest.param(
                range(4), [-INF, -1e308, 0, -INF], [NAN, 1e308, 1e308, -1], [2, 1, 0, 2], id="fail"
            ),
            pytest.param([0, 1], [-INF, -INF], [1.0, 1.0], [0, 0], id="only failures"),
            pytest.param([0, 0, 1], [9.0, -INF, 0.0], [0.0, 1.0, 1.0], [1, 0], id="a failed copy"),
            # Weights 3/4 and 1/4: the mean is 1.
            pytest.param([0, 0, 1], [0.0, 4, 1], [1.0, 3, 1], [0.5, 0.5], id="weighted copies"),
        ],
    )
    def test_known_cases(
        self, X: list[float], Y: list[float], Yvar: list[float], expected: list[float]
    ) -> None:
        order = from_outcomes(tensor(list(X)).unsqueeze(-1), tensor(Y), tensor(Yvar))
        assert as_counts(order) == pytest.approx(expected)

    def test_an_unknown_variance_is_typical(self) -> None:
        Y = tensor([0.0, 2.0, 3.0, -INF])
        order = from_outcomes(line(4), Y, tensor([1.0, NAN, 5.0, 100.0]))
        assert order.variance.tolist() == [1.0, 3.0, 5.0, 0.0]
        assert_same(from_outcomes(line(4), Y, Y.nan_to_num() * NAN), from_outcomes(line(4), Y))

    def test_increasing_linear_transforms_change_nothing(self) -> None:
        Y, Yvar = torch.randn(9, 1, dtype=torch.float64), torch.rand(9, 1, dtype=torch.float64)
        first = from_outcomes(line(9), Y, Yvar)
        second = from_outcomes(line(9), 3.0 * Y + 7.0, 9.0 * Yvar)
        assert as_counts(second) == pytest.approx(as_counts(first))

    @pytest.mark.parametrize("variance", [-1.0, -INF, INF])
    def test_bad_variances_say_what_to_do(self, variance: float) -> None:
        with pytest.raises(InputDataError, match=r"train_Yvar holds negative.*squared standard er"):
            from_outcomes(line(2), tensor([0.0, 1.0]), tensor([1.0, variance]))

    def test_wrong_kinds_of_variances_say_what_to_do(self) -> None:
        Y = torch.zeros(3, 1, dtype=torch.float64)
        with pytest.raises(BotorchTensorDimensionError, match=r"train_Yvar of shape N x 1.*2, 1\)"):
            from_outcomes(line(3), Y, Y[:2])
        with pytest.raises(InputDataError, match=r"train_X and train_Yvar must share.*ar.to\(X\)"):
            from_outcomes(line(3), Y, Y.float())


class TestReplicates:
    def test_variance_is_estimated_from_replicates(self) -> None:
        X = tensor([[0.0], [0.0], [1.0], [1.0], [1.0], [2.0]])
        order = from_replicates(X, tensor([0.0, 2.0, 3.0, 4.0, 5.0, 2.5]))
        # Sums of squares 2 and 2 over 1 + 2 degrees of freedom; one copy of the last point.
        variance = 4 / 3
        known = from_outcomes(
            line(3), tensor([1.0, 4.0, 2.5]), tensor([variance / 2, variance / 3, variance])
        )
        assert as_counts(order) == pytest.approx(as_counts(known))

    @pytest.mark.parametrize("unit", [1e-300, 1e-160, 1.0, 1e160, 1e307])
    def test_estimated_variance_does_not_depend_on_the_unit(self, unit: float) -> None:
        X, Y = tensor([[0.0], [0.0], [1.0], [2.0]]), tensor([0.0, 2.0, 1.5, -3.0])
        scaled = from_replicates(X, Y * unit)
        assert scaled.variance.isfinite().all()
        assert as_counts(scaled) == pytest.approx(as_counts(from_replicates(X, Y)), abs=1e-9)

    def test_a_small_spread_keeps_far_outcomes_finite(self) -> None:
        X, Y = tensor([[0.0], [0.0], [1.0], [2.0], [3.0]]), tensor([1e-10, 3e-10, -1e300, 9e299, 0])
        order = from_replicates(X, Y)
        assert order.score.isfinite().all()
        assert as_counts(order) == [
            pytest.approx(1.0, abs=0.5),
            3.0,
            0.0,
            pytest.approx(2.0, abs=0.5),
        ]

    def test_equal_replicates_show_no_noise_and_failed_ones_are_not_used(self) -> None:
        X, Y = tensor([[0.0], [0.0], [1.0], [1.0], [2.0]]), tensor([0.1, 0.1, 5.0, -INF, 0.1])
        assert_same(from_replicates(X, Y), from_outcomes(X, Y))

    @pytest.mark.parametrize(
        ("X", "Y"), [([0, 1, 2], [0.0, 1.0, 2.0]), ([0, 0, 2], [-INF, 0.0, 1.0])]
    )
    def test_no_replicates_say_what_to_do(self, X: list[float], Y: list[float]) -> None:
        match = r"no point was evaluated twice without a failure.*from_outcomes, with Yvar if"
        with pytest.raises(InputDataError, match=match):
            from_replicates(tensor(X).unsqueeze(-1), tensor(Y))


class TestGroups:
    @given(GROUPED)
    def test_records_match_brute_force(self, records: list[tuple[int, Point, float]]) -> None:
        assume(_has_a_comparison(records))
        expected = []
        for group in sorted({g for g, _, _ in records}):
            members = [(x, y) for g, x, y in records if g == group]
            found = brute_force([x for x, _ in members], [y for _, y in members])
            if len(found) > 1:
                expected += [(x, float(found[x]), len(found) - 1.0) for x in sorted(found)]
        order = _grouped(records)
        assert as_records(order) == expected
        assert torch.equal(order.list_index, order.task_index)

    @given(GROUPED, st.randoms())
    def test_order_of_evaluations_and_units_of_groups_do_not_matter(
        self, records: list[tuple[int, Point, float]], random: Any
    ) -> None:
        assume(_has_a_comparison(records))
        shuffled = [(g, x, y * 2.0 ** (60 * g)) for g, x, y in records]
        random.shuffle(shuffled)
        first, second = _grouped(records), _grouped(shuffled)
        assert second.agrees_with(first)
        assert as_records(second) == as_records(first)

    def test_a_point_may_be_in_several_groups(self, tkwargs: dict[str, Any]) -> None:
        X = torch.tensor([[0.0], [1.0], [0.0], [2.0], [3.0], [7.0]], **tkwargs)
        Y = torch.tensor([1.0, 2.0, 9.0, 8.0, 7.0, 0.0], **tkwargs)
        groups = torch.tensor([5, 5, 1, 1, 1, 2], device=tkwargs["device"], dtype=torch.int32)
        order = from_groups(X, Y, groups)
        assert as_records(order) == [
            ((0.0,), 0.0, 2.0),
            ((2.0,), 1.0, 2.0),
            ((3.0,), 2.0, 2.0),
            ((0.0,), 1.0, 1.0),
            ((1.0,), 0.0, 1.0),
        ]
        assert (order.num_points, order.num_lists, order.num_tasks) == (4, 2, 2)
        assert_kind(order, tkwargs)

    @pytest.mark.parametrize(
        ("X", "groups"), [([0, 1, 2], [0, 1, 2]), ([0, 0, 0], [0, 0, 1]), ([], [])]
    )
    def test_nothing_to_compare_says_what_to_do(self, X: list[float], groups: list[int]) -> None:
        points, labels = tensor(X).unsqueeze(-1), torch.tensor(groups, dtype=torch.long)
        with pytest.raises(InputDataError, match=r"No group holds two distinct points.*one label"):
            from_groups(points, points, labels)

    @pytest.mark.parametrize("shape", [(2,), (3, 2), (1, 3), ()])
    def test_wrong_shapes_say_what_to_do(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(BotorchTensorDimensionError, match="groups of shape N, one label for"):
            from_groups(line(3), line(3), torch.zeros(shape, dtype=torch.long))

    @pytest.mark.parametrize(
        ("labels", "match"),
        [
            (torch.zeros(3), r"groups must hold integer labels.*groups.long\(\)"),
            (torch.zeros(3) > 0, r"groups must hold integer labels.*groups.long\(\)"),
            (torch.zeros(3, dtype=torch.cfloat), "groups must hold integer labels.*complex64"),
            (torch.zeros(3, dtype=torch.long, device="meta"), r"on the device.*groups.to\(X.devic"),
        ],
    )
    def test_wrong_labels_say_what_to_do(self, labels: Tensor, match: str) -> None:
        with pytest.raises(InputDataError, match=match):
            from_groups(line(3), line(3), labels)


class TestEverySource:
    """X holds three distinct points, one of them twice."""

    X = tensor([[1.0, 5.0], [0.0, 2.0], [1.0, 5.0], [-1.0, 0.0]])
    Y = tensor([[3.0], [2.0], [1.5], [-INF]])

    def test_dtype_and_device_are_kept(self, source: Source, tkwargs: dict[str, Any]) -> None:
        order = source(self.X.to(**tkwargs), self.Y.to(**tkwargs))
        assert_kind(order, tkwargs)
        assert len(order.X) == 3

    def test_outcomes_may_be_a_column_or_a_vector(self, source: Source) -> None:
        assert_same(source(self.X, self.Y), source(self.X, self.Y.squeeze(-1)))

    def test_points_are_sorted_and_the_inputs_left_alone(self, source: Source) -> None:
        X, Y = self.X.clone().requires_grad_(), self.Y.clone().requires_grad_()
        order = source(X, Y)
        assert order.X.tolist() == sorted(order.X.tolist())
        assert not any(getattr(order, field.name).requires_grad for field in fields(order))
        assert torch.equal(X, self.X)
        assert torch.equal(Y, self.Y)

    @given(NOISY, st.randoms())
    def test_the_order_of_evaluations_does_not_matter(
        self, records: list[tuple[Point, float, float]], random: Any
    ) -> None:
        records = [((8.0, 8.0), 1.0, 1.0), ((8.0, 8.0), 1.7, 0.3), ((9.0, 9.0), 0.1, 0.0), *records]
        shuffled = list(records)
        random.shuffle(shuffled)
        assert_same(noisy(shuffled), noisy(records))
        for name in SOURCES:
            first, second = (
                SOURCES[name](tensor([x for x, _, _ in r]), tensor([y for _, y, _ in r]))
                for r in (records, shuffled)
            )
            assert_same(first, second)

    @pytest.mark.parametrize(
        ("X", "Y", "match"),
        [
            *(
                ([0.0, x], [1.0, 2.0], "train_X holds NaN or infinite values. Remove or repair")
                for x in (NAN, INF, -INF)
            ),
            ([0, 1], [1.0, NAN], "train_Y holds NaN. Drop those rows, or set them to -inf"),
            ([0, 1], [1.0, INF], r"train_Y holds \+inf.*use -inf: larger outcomes are better"),
        ],
    )
    def test_bad_values_say_what_to_do(
        self, source: Source, X: list[float], Y: list[float], match: str, tkwargs: dict[str, Any]
    ) -> None:
        with pytest.raises(InputDataError, match=match):
            source(tensor(X, **tkwargs).unsqueeze(-1), tensor(Y, **tkwargs))

    @pytest.mark.parametrize("name", ["outcomes", "variances", "replicates"])
    @pytest.mark.parametrize(("X", "distinct"), [([], 0), ([0], 1), ([0, 0], 1)])
    def test_too_few_points_say_what_to_do(self, name: str, X: list[float], distinct: int) -> None:
        points = tensor(X).unsqueeze(-1)
        with pytest.raises(InputDataError, match=rf"distinct.*train_X holds {distinct}\. Evaluate"):
            SOURCES[name](points, torch.rand_like(points))

    @pytest.mark.parametrize(
        ("X", "Y"),
        [
            ((3,), (3,)),
            ((2, 3, 1), (2, 3, 1)),
            ((3, 1), (2, 1)),
            ((3, 1), (3, 2)),
            ((3, 1), (1, 3)),
            ((3, 0), (3, 1)),
        ],
    )
    def test_wrong_shapes_say_what_to_do(
        self, source: Source, X: tuple[int, ...], Y: tuple[int, ...]
    ) -> None:
        with pytest.raises(BotorchTensorDimensionError, match=r"shape N x 1, but got.*reduced to"):
            source(torch.zeros(X), torch.zeros(Y))

    @pytest.mark.parametrize(
        ("X", "Y"),
        [
            (torch.int64, torch.int64),
            (torch.int64, torch.float64),
            (torch.float64, torch.int64),
            (torch.float64, torch.float32),
            (torch.float32, torch.float64),
            (torch.bool, torch.bool),
        ],
    )
    def test_wrong_dtypes_say_what_to_do(
        self, source: Source, X: torch.dtype, Y: torch.dtype
    ) -> None:
        with pytest.raises(InputDataError, match=r"share one floating-point dtype.*Y.to\(X\)"):
            source(torch.zeros(3, 1, dtype=X), torch.zeros(3, dtype=Y))


def _merge(copies: list[tuple[float, float]]) -> tuple[float, float]:
    """Inverse-variance weighted mean and its variance, in plain Python."""
    if any(y == -INF for y, _ in copies):
        return -INF, 0.0
    exact = [y for y, v in copies if v == 0]
    if exact:
        return sum(exact) / len(exact), 0.0
    precision = sum(1 / v for _, v in copies)
    return sum(y / v for y, v in copies) / precision, 1 / precision


def _is_better(y: float, v: float, rival: float, rival_v: float) -> float:
    if rival == -INF or y == -INF or v + rival_v == 0:
        # Rounding of a mean must not decide a tie.
        return float(rival > y and not math.isclose(rival, y, abs_tol=1e-12))
    return NormalDist().cdf((rival - y) / math.sqrt(v + rival_v))


def _grouped(records: list[tuple[int, Point, float]]) -> Order:
    groups, X, Y = zip(*records, strict=True)
    return from_groups(tensor(X), tensor(Y), torch.tensor(groups))


def _has_a_comparison(records: list[tuple[int, Point, float]]) -> bool:
    pairs = {(group, x) for group, x, _ in records}
    return len(pairs) > len({group for group, _ in pairs})
