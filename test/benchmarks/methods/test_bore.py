import math

import pytest
import torch

from botorch_popbo.benchmarks.methods._bore import is_good


@pytest.mark.parametrize("number", [1, 2, 4, 5, 12, 13])
def test_the_best_quarter_is_good(number: int) -> None:
    Y = torch.rand(number, 1, generator=torch.Generator().manual_seed(0))
    best = sorted(Y.squeeze(-1).tolist())[-math.ceil(number / 4) :]
    assert sorted(Y[is_good(Y)].squeeze(-1).tolist()) == best


def test_equal_outcomes_leave_a_quarter() -> None:
    assert int(is_good(torch.zeros(12, 1)).sum()) == 3
