from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import as_records, assert_kind, assert_same, line, tensor
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.rank_counts import from_ordering, from_outcomes


@given(st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))))
def test_complete_lists_are_the_outcomes_that_sort_them(ordering: list[int]) -> None:
    X = tensor([[(7.0 * i) % 5, float(i)] for i in range(len(ordering))])
    Y = torch.empty(len(ordering), 1, dtype=torch.float64)
    Y[ordering] = -line(len(ordering)).exp()
    assert_same(from_ordering(X, ordering), from_outcomes(X, Y))
    assert_same(from_ordering(X, torch.tensor(ordering)), from_outcomes(X, Y))


@given(st.permutations(range(8)), st.integers(2, 8))
def test_partial_lists_match_brute_force(permutation: list[int], length: int) -> None:
    listed = permutation[:length]
    expected = [((float(i),), float(k), length - 1.0) for k, i in enumerate(listed)]
    assert as_records(from_ordering(line(8), listed)) == sorted(expected)


def test_extreme_coordinates() -> None:
    data = from_ordering(tensor([[1e300], [-1e300], [1e-300]]), [0, 1, 2])
    assert as_records(data) == [((-1e300,), 1.0, 2.0), ((1e-300,), 2.0, 2.0), ((1e300,), 0.0, 2.0)]


def test_dtype_and_device_are_kept(tkwargs: dict[str, Any]) -> None:
    assert_kind(from_ordering(torch.arange(3.0, **tkwargs).unsqueeze(-1), [2, 0]), tkwargs)


def test_repeated_items_say_what_to_do() -> None:
    with pytest.raises(InputDataError, match=r"Item 1 is listed twice. List every item once"):
        from_ordering(line(3), [1, 0, 1])


def test_equal_items_say_what_to_do() -> None:
    X = tensor([[0.0], [5.0], [-0.0]])
    with pytest.raises(
        InputDataError, match=r"Rows 0 and 2 of X are equal and both listed.*one of"
    ):
        from_ordering(X, [0, 1, 2])
    assert len(from_ordering(X, [0, 1])) == 2  # only one of them is listed


@pytest.mark.parametrize("ordering", [[], [0]])
def test_short_lists_say_what_to_do(ordering: list[int]) -> None:
    with pytest.raises(InputDataError, match=f"two items or more, but lists {len(ordering)}. List"):
        from_ordering(line(3), ordering)


def test_wrong_shapes_say_what_to_do() -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"ordering of one dimension.*\(1, 2\)"):
        from_ordering(line(3), torch.tensor([[0, 1]]))
