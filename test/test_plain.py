from typing import Any

import numpy as np
import pytest
import torch

from botorch_popbo._plain import as_float, plain, whole


@pytest.mark.parametrize("value", [1, 0.5, "text", True, None])
def test_scalars_of_numpy_are_python_s_and_others_stay(value: Any) -> None:
    for given in (value, np.array([value])[0]):
        assert plain(given) == value
        assert type(plain(given)) is type(value)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), torch.tensor(3)])
def test_whole_numbers_are_python_s(value: Any) -> None:
    assert type(whole(value)) is int
    assert whole(value) == 3


@pytest.mark.parametrize("value", [True, np.True_, 3.0, "3", None, torch.tensor([1, 2])])
def test_nothing_else_is_a_whole_number(value: Any) -> None:
    assert whole(value) is None


@pytest.mark.parametrize(
    "value", [2, 2.0, np.float32(2.0), np.array([[2.0]]), torch.tensor([2.0], requires_grad=True)]
)
def test_the_only_number_of_an_array_is_one(value: Any) -> None:
    assert type(as_float(value)) is float
    assert as_float(value) == 2.0


@pytest.mark.parametrize(
    "value",
    [
        *("2", b"2", None, (2.0, 1.0), 2j, np.zeros(2), torch.zeros(2), 10**400),
        *(np.ma.masked, np.ma.masked_invalid([np.nan])),
    ],
)
def test_text_several_numbers_and_masked_ones_are_none(value: Any) -> None:
    assert as_float(value) is None
