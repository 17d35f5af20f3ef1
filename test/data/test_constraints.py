from fractions import Fraction
from typing import Any

import pytest
import torch
from helpers.ranking import INF, NAN, WHOLE, Point, as_dict, assert_same, line, means, tensor
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.data import from_constrained_outcomes

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
    order = from_constrained_outcomes(tensor(X), tensor(Y), tensor(V))
    assert as_dict(order) == brute_force(X, Y, V)


def test_units_of_constraints_and_increasing_transforms_change_nothing() -> None:
    Y, violations = torch.randn(20).double(), torch.randn(20, 3).double()
    first = from_constrained_outcomes(line(20), Y, violations)
    units = tensor([2.0**-300, 1.0, 2.0**300])
    assert_same(from_constrained_outcomes(line(20), Y.exp(), violations * units), first)


@pytest.mark.parametrize(
    ("X", "Y", "violations", "expected"),
    [
        # Violations of replicates are averaged, and those of failures ignored.
        ([0, 0, 1, 1, 2], [5, 5, 9, 9, 1], [[1], [-2], [2], [-1], [0]], [0, 2, 1]),
        (range(3), [-INF, 1, 2], [[NAN, 1e30], [1, 1], [2, 0.5]], [2, 0, 0]),
    ],
)
def test_known_cases(
    X: list[float], Y: list[float], violations: list[Any], expected: list[float]
) -> None:
    columns = tensor([[x] for x in X]), tensor(Y), tensor(violations).requires_grad_()
    order = from_constrained_outcomes(*columns)
    assert list(as_dict(order).values()) == expected
    assert not order.score.requires_grad
    assert_same(from_constrained_outcomes(*(values.flip(0) for values in columns)), order)


def test_vanishing_and_huge_violations_stay_infeasible() -> None:
    violations = tensor([[1e-300], [1e300], [0.0], [5e-324], [1.7e308]])
    tiny, huge, feasible, tiniest, hugest = as_dict(
        from_constrained_outcomes(line(5), line(5), violations)
    ).values()
    assert (feasible, hugest) == (0, 4)
    assert {tiny, tiniest} <= {1, 2}
    assert huge < hugest
