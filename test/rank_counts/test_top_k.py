from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from helpers.ranking import as_records, assert_kind, assert_same, line, tensor
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.rank_counts import from_ordering, from_top_k


@given(st.permutations(range(8)), st.integers(1, 8), st.integers(0, 8))
def test_records_match_brute_force(permutation: list[int], num_top: int, num_rest: int) -> None:
    top, rest = permutation[:num_top], permutation[num_top:][:num_rest]
    if len(top) + len(rest) < 2:
        rest = permutation[1:]
    expected = [((float(i),), float(k), len(top + rest) - 1.0) for k, i in enumerate(top)]
    expected += [((float(i),), float(len(top)), float(len(top))) for i in rest]
    assert as_records(from_top_k(line(8), top, rest)) == sorted(expected)
    assert_same(
        from_top_k(line(8), torch.tensor(top), torch.tensor(rest[::-1], dtype=torch.long)),
        from_top_k(line(8), top, rest),
    )


def test_without_a_rest_it_is_an_ordering() -> None:
    assert_same(from_top_k(line(5), [4, 0, 2], []), from_ordering(line(5), [4, 0, 2]))


def test_dtype_and_device_are_kept(tkwargs: dict[str, Any]) -> None:
    assert_kind(from_top_k(torch.arange(3.0, **tkwargs).unsqueeze(-1), [2], [0]), tkwargs)


@pytest.mark.parametrize(("top", "rest"), [([0, 0], [1]), ([0], [1, 1]), ([0], [1, 0])])
def test_repeated_items_say_what_to_do(top: list[int], rest: list[int]) -> None:
    with pytest.raises(InputDataError, match=r"Item \d is listed twice. List every item once"):
        from_top_k(line(3), top, rest)


def test_equal_items_say_what_to_do() -> None:
    with pytest.raises(InputDataError, match="Rows 0 and 1 of X are equal and both listed"):
        from_top_k(tensor([[3.0], [3.0]]), [0], [1])


@pytest.mark.parametrize(("top", "rest"), [([], [0, 1]), ([0], []), ([], [])])
def test_short_lists_say_what_to_do(top: list[int], rest: list[int]) -> None:
    match = f"top names {len(top)} and rest {len(rest)}. Name more"
    with pytest.raises(InputDataError, match=match):
        from_top_k(line(3), top, rest)


def test_wrong_shapes_say_what_to_do() -> None:
    with pytest.raises(BotorchTensorDimensionError, match=r"top of one dimension.*\(1, 2\)"):
        from_top_k(line(3), torch.tensor([[0, 1]]), [2])
    with pytest.raises(BotorchTensorDimensionError, match=r"rest of one dimension.*\(\)"):
        from_top_k(line(3), [0], torch.tensor(2))
