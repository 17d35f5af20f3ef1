from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import as_records, assert_same, line, tensor, unmeasured
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.data import from_ordering, from_outcomes, from_top_k


@given(st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))))
def test_complete_lists_are_the_outcomes_that_sort_them(ordering: list[int]) -> None:
    X = tensor([[(7.0 * i) % 5, float(i)] for i in range(len(ordering))])
    Y = torch.empty(len(ordering), 1, dtype=torch.float64)
    Y[ordering] = -line(len(ordering)).exp()
    for listed in (ordering, torch.tensor(ordering)):
        order = from_ordering(X, listed)
        assert order.agrees_with(unmeasured(from_outcomes(X, Y)))
        assert not order.agrees_with(from_outcomes(X, Y))
        assert as_records(order) == as_records(from_outcomes(X, Y))


@given(st.permutations(range(8)), st.integers(1, 8), st.integers(0, 8))
def test_top_lists_match_brute_force(permutation: list[int], num_top: int, num_rest: int) -> None:
    top, rest = permutation[:num_top], permutation[num_top:][:num_rest]
    if len(top) + len(rest) < 2:
        rest = permutation[1:]
    expected = [((float(i),), float(k), len(top + rest) - 1.0) for k, i in enumerate(top)]
    # All that a remaining item met are the top ones, and it lost to each.
    expected += [((float(i),), float(len(top)), float(len(top))) for i in rest]
    order = from_top_k(line(8), top, rest)
    assert as_records(order) == sorted(expected)
    assert order.X[order.item[order.is_censored]].squeeze(-1).tolist() == sorted(rest)
    assert_same(
        from_top_k(line(8), torch.tensor(top), torch.tensor(rest[::-1], dtype=torch.long)), order
    )


@pytest.mark.parametrize(
    ("lists", "match"),
    [
        (([1, 0, 1],), "Item 1 is listed twice. List every item once"),
        (([0], [1, 0]), "Item 0 is listed twice. List every item once"),
        (([0, 1, 2],), "Rows 0 and 2 of X are equal and both listed.*List one of them"),
        (([0], [2]), "Rows 0 and 2 of X are equal and both listed.*List one of them"),
        (([0],), "two items or more.*but got 1, of which 1"),
        (([], [0, 1]), "one at least in its place.*got 2, of which 0 .*Name more items"),
    ],
)
def test_bad_lists_say_what_to_do(lists: tuple[list[int], ...], match: str) -> None:
    source: Any = from_ordering if len(lists) == 1 else from_top_k
    with pytest.raises(InputDataError, match=match):
        source(tensor([[0.0], [5.0], [-0.0]]), *lists)


def test_wrong_shapes_say_what_to_do() -> None:
    column = torch.tensor([[0, 1]])
    with pytest.raises(BotorchTensorDimensionError, match=r"ordering of shape m, a list.*\(1, 2\)"):
        from_ordering(line(3), column)
    with pytest.raises(BotorchTensorDimensionError, match=r"rest of shape m, a list.*\(\)"):
        from_top_k(line(3), [0], torch.tensor(2))


def test_equal_items_may_be_there_if_one_is_listed() -> None:
    assert from_ordering(tensor([[0.0], [5.0], [-0.0]]), [0, 1]).num_points == 2
