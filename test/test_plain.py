from typing import Any

import numpy as np
import pytest
import torch

from botorch_popbo._plain import plain, whole


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
