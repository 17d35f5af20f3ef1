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
    as_dict,
    assert_kind,
    assert_same,
    line,
    means,
    tensor,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from botorch_popbo.rank_counts import from_constrained_outcomes, from_outcomes

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
    data = from_constrained_outcomes(tensor(X), tensor(Y), tensor(V))
    assert as_dict(data) == brute_force(X, Y, V)
    assert data.exposure.tolist() == [len(X) - 1] * len(X)


@given(st.lists(st.tuples(POINTS, EXTREME), min_size=2, max_size=15))
def test_no_violations_are_the_outcomes(records: list[tuple[Point, float]]) -> None:
    X, Y = tensor([x for x, _ in records]), tensor([y for _, y in records]).unsqueeze(-1)
    assume(X.unique(dim=0).shape[0] >= 2)
    for violations in (
        torch.zeros_like(Y),
        -torch.rand(len(Y), 3).to(Y),
        torch.empty_like(Y[:, :0]),
    ):
        assert_same(from_constrained_outcomes(X, Y, violations), from_outcomes(X, Y))


def test_feasible_then_infeasible_then_failed(tkwargs: dict[str, Any]) -> None:
    X = torch.arange(5.0, **tkwargs).unsqueeze(-1)
    Y = torch.tensor([-9.0, 9.0, -INF, 5.0, 1.0], **tkwargs)
    violations = torch.tensor([[0.0], [1.0], [0.0], [2.0], [-1.0]], **tkwargs)
    data = from_constrained_outcomes(X, Y, violations)
    assert data.counts.tolist() == [1.0, 2.0, 4.0, 3.0, 0.0]
    assert_kind(data, tkwargs)


def test_units_of_constraints_and_increasing_transforms_change_nothing() -> None:
    Y = torch.randn(20, dtype=torch.float64)
    violations = torch.randn(20, 3, dtype=torch.float64)
    first = from_constrained_outcomes(line(20), Y, violations)
    units = tensor([2.0**-300, 1.0, 2.0**300])
    assert_same(from_constrained_outcomes(line(20), Y.exp(), violations * units), first)


def test_constraints_are_normalised_by_the_largest_violation() -> None:
    # Shares 1, 1/2 and 1/4 of the largest violation.
    violations = tensor([[4.0, 0.0], [0.0, 500.0], [1.0, 0.0], [0.0, 1000.0]])
    data = from_constrained_outcomes(line(4), line(4), violations)
    assert data.counts.tolist() == [2.0, 1.0, 0.0, 2.0]


def test_vanishing_and_huge_violations_stay_infeasible() -> None:
    violations = tensor([[1e-300], [1e300], [0.0], [5e-324], [1.7e308]])
    counts = from_constrained_outcomes(line(5), line(5), violations).counts
    assert counts.tolist()[2] == 0.0
    assert counts.tolist()[4] == 4.0
    assert all(1 <= counts[i] <= 2 for i in (0, 3))


def test_violations_of_replicates_are_averaged() -> None:
    X, Y = tensor([[0.0], [0.0], [1.0], [1.0], [2.0]]), tensor([5.0, 5.0, 9.0, 9.0, 1.0])
    violations = tensor([[1.0], [-2.0], [2.0], [-1.0], [0.0]])
    assert from_constrained_outcomes(X, Y, violations).counts.tolist() == [0.0, 2.0, 1.0]
    assert_same(
        from_constrained_outcomes(X.flip(0), Y.flip(0), violations.flip(0)),
        from_constrained_outcomes(X, Y, violations),
    )


def test_violations_of_failures_are_ignored() -> None:
    Y, violations = tensor([-INF, 1.0, 2.0]), tensor([[NAN, 1e300], [1.0, 1.0], [2.0, 0.5]])
    counts = from_constrained_outcomes(line(3), Y, violations).counts
    assert counts.tolist() == [2.0, 0.0, 0.0]


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
