from fractions import Fraction
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
    as_records,
    assert_kind,
    assert_same,
    line,
    means,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo.data import from_constrained_outcomes, from_outcomes

# Powers of two, so that dividing by the largest has no rounding; halves, so that means have none.
VIOLATIONS = st.tuples(*[st.sampled_from([-8.0, -1.0, 0.0, 1.0, 2.0, 4.0])] * 2)


def brute_force(X: list[Point], Y: list[float], V: list[tuple[float, ...]]) -> dict[Point, int]:
    outcome = means(X, Y)
    excess = [means(X, [v[c] for v in V]) for c in range(len(V[0]))]
    successes = [p for p in outcome if outcome[p] != -INF]
    worst = [max((e[p] for p in successes), default=0) for e in excess]

    def key(point: Point) -> tuple[int, Fraction | float]:
        if outcome[point] == -INF:
            return 0, 0
        positive = [max(e[point], Fraction(0)) for e in excess]
        if any(positive):
            return 1, -sum(v / w for v, w in zip(positive, worst, strict=True) if v)
        return 2, outcome[point]

    keys = {p: key(p) for p in outcome}
    return {p: sum(other > keys[p] for other in keys.values()) for p in keys}


@given(st.lists(st.tuples(WHOLE, VIOLATIONS), min_size=2, max_size=12))
def test_counts_match_brute_force(records: list[tuple[float, tuple[float, ...]]]) -> None:
    X = [(float(i),) for i in range(len(records))]
    Y, V = [y for y, _ in records], [v for _, v in records]
    expected = brute_force(X, Y, V)
    found = as_records(from_constrained_outcomes(tensor(X), tensor(Y), tensor(V)))
    assert found == [(x, expected[x], len(X) - 1.0) for x in X]


@given(st.lists(st.tuples(POINTS, EXTREME), min_size=2, max_size=15))
def test_no_violations_are_the_outcomes(records: list[tuple[Point, float]]) -> None:
    X, Y = tensor([x for x, _ in records]), tensor([y for _, y in records]).unsqueeze(-1)
    assume(X.unique(dim=0).shape[0] >= 2)
    for violations in (
        torch.zeros_like(Y),
        -torch.rand(len(Y), 3).to(Y),
        torch.empty_like(Y[:, :0]),
    ):
        order = from_constrained_outcomes(X, Y, violations)
        assert order.agrees_with(from_outcomes(X, Y))
        assert as_records(order) == as_records(from_outcomes(X, Y))


def test_units_of_constraints_and_increasing_transforms_change_nothing() -> None:
    Y = torch.randn(20, dtype=torch.float64)
    violations = torch.randn(20, 3, dtype=torch.float64)
    first = from_constrained_outcomes(line(20), Y, violations)
    units = tensor([2.0**-300, 1.0, 2.0**300])
    assert_same(from_constrained_outcomes(line(20), Y.exp(), violations * units), first)


@pytest.mark.parametrize(
    ("X", "Y", "violations", "expected"),
    [
        pytest.param(
            range(5),
            [-9.0, 9.0, -INF, 5.0, 1.0],
            [[0.0], [1.0], [0.0], [2.0], [-1.0]],
            [1, 2, 4, 3, 0],
            id="feasible, then infeasible, then failed",
        ),
        pytest.param(
            range(4),
            [0.0, 1.0, 2.0, 3.0],
            [[4.0, 0.0], [0.0, 500.0], [1.0, 0.0], [0.0, 1000.0]],
            [2, 1, 0, 2],
            id="shares 1, 1/2, 1/4 and 1 of the largest violation",
        ),
        pytest.param(
            [0, 0, 1, 1, 2],
            [5.0, 5.0, 9.0, 9.0, 1.0],
            [[1.0], [-2.0], [2.0], [-1.0], [0.0]],
            [0, 2, 1],
            id="violations of replicates are averaged",
        ),
        pytest.param(
            range(3),
            [-INF, 1.0, 2.0],
            [[NAN, 1e30], [1.0, 1.0], [2.0, 0.5]],
            [2, 0, 0],
            id="violations of failures are ignored",
        ),
    ],
)
def test_known_cases(
    X: list[float],
    Y: list[float],
    violations: list[list[float]],
    expected: list[float],
    tkwargs: dict[str, Any],
) -> None:
    points, outcomes = tensor([[x] for x in X], **tkwargs), tensor(Y, **tkwargs)
    points, outcomes = points.requires_grad_(), outcomes.requires_grad_()
    excess = tensor(violations, **tkwargs).requires_grad_()
    order = from_constrained_outcomes(points, outcomes, excess)
    assert as_counts(order) == expected
    assert_kind(order, tkwargs)
    assert not any(values.requires_grad for values in (order.X, order.score))
    flipped = from_constrained_outcomes(points.flip(0), outcomes.flip(0), excess.flip(0))
    assert_same(flipped, order)


def test_vanishing_and_huge_violations_stay_infeasible() -> None:
    violations = tensor([[1e-300], [1e300], [0.0], [5e-324], [1.7e308]])
    counts = as_counts(from_constrained_outcomes(line(5), line(5), violations))
    assert counts[2] == 0.0
    assert counts[4] == 4.0
    assert all(1 <= counts[i] <= 2 for i in (0, 3))


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_bad_violations_say_what_to_do(value: float) -> None:
    with pytest.raises(InputDataError, match=r"violations holds NaN or infinite.*to -inf to rank"):
        from_constrained_outcomes(line(2), line(2), tensor([[0.0], [value]]))


def test_wrong_kinds_of_violations_say_what_to_do() -> None:
    for shape in ((3,), (2, 1), (3, 1, 1)):
        with pytest.raises(BotorchTensorDimensionError, match="violations of shape N x c, one row"):
            from_constrained_outcomes(line(3), line(3), torch.zeros(shape, dtype=torch.float64))
    with pytest.raises(InputDataError, match=r"train_X and violations must share.*violations.to"):
        from_constrained_outcomes(line(3), line(3), torch.zeros(3, 1))


def test_errors_of_outcomes_are_raised() -> None:
    zeros = torch.zeros(2, 1, dtype=torch.float64)
    with pytest.raises(InputDataError, match="train_Y holds NaN"):
        from_constrained_outcomes(line(2), tensor([0.0, NAN]), zeros)
    with pytest.raises(InputDataError, match=r"train_X holds 1. Evaluate more points"):
        from_constrained_outcomes(zeros, zeros, zeros)
