from fractions import Fraction

import pytest
import torch
from helpers.ranking import INF, POINTS, WHOLE, Point, assert_same, line, means, tensor
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo.data import from_outcomes, from_replicates
from botorch_popbo.data._replicates import mean_of_copies
from botorch_popbo.data._rows import distinct_rows, points_at


def merged(X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct points and their mean outcomes."""
    distinct = distinct_rows(*X.unbind(-1))
    return points_at(X, distinct.rows), mean_of_copies(Y, distinct.inverse)


@given(st.lists(st.tuples(POINTS, WHOLE), min_size=1, max_size=15))
def test_means_match_exact_arithmetic(records: list[tuple[Point, float]]) -> None:
    X, Y = [x for x, _ in records], [y for _, y in records]
    points, outcomes = merged(tensor(X), tensor(Y))
    expected = means(X, Y)
    assert [tuple(p) for p in points.tolist()] == sorted(expected)
    exact = [float(expected[p]) for p in sorted(expected)]
    assert outcomes.tolist() == pytest.approx(exact, rel=1e-14, abs=1e-14)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 9)), min_size=2, max_size=8))
def test_weighted_means_match_exact_arithmetic(copies: list[tuple[int, int]]) -> None:
    exact = Fraction(sum(y * w for y, w in copies), sum(w for _, w in copies))
    outcomes, weights = (tensor([float(c[i]) for c in copies]) for i in (0, 1))
    inverse = torch.zeros(len(copies), dtype=torch.long)
    mean = mean_of_copies(outcomes, inverse, weights)
    assert mean.tolist() == pytest.approx([float(exact)], abs=1e-14)
    # Bit for bit the same in another order.
    assert torch.equal(mean, mean_of_copies(outcomes.flip(0), inverse, weights.flip(0)))


def test_copies_without_weight_change_nothing() -> None:
    mean = mean_of_copies(
        tensor([0.1, -1e300, 0.1, 1e300]), torch.zeros(4, dtype=torch.long), tensor([1.0, 0, 1, 0])
    )
    assert mean.tolist() == [0.1]


def test_distinct_points_keep_their_outcomes() -> None:
    Y = tensor([5e-324, 1.7e308, -INF, 0.1])
    points, outcomes = merged(line(4).flip(0), Y)
    assert torch.equal(points, line(4))
    assert torch.equal(outcomes, Y.flip(0))


@pytest.mark.parametrize("noise", ["none", "known", "estimated"])
def test_rounding_does_not_depend_on_the_order_of_many_copies(noise: str) -> None:
    generator = torch.Generator().manual_seed(0)
    X = torch.randint(300, (2000, 1), generator=generator).double()
    Y, Yvar = torch.rand(2, 2000, generator=generator, dtype=torch.float64)
    source = from_replicates if noise == "estimated" else from_outcomes
    columns = (X, Y, Yvar) if noise == "known" else (X, Y)
    shuffle = torch.randperm(2000, generator=generator)
    assert_same(source(*(column[shuffle] for column in columns)), source(*columns))


def test_a_copy_of_hardly_any_weight_takes_no_digits_away() -> None:
    outcomes, weights = tensor([-1e20, -0.5, -0.4]), tensor([1e-40, 1e4, 1.0])
    found = mean_of_copies(outcomes, torch.tensor([0, 0, 1]), weights)
    assert found.tolist() == [-0.5, -0.4]
