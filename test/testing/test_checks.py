import random
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from botorch_popbo.testing.checks import (
    random_state_untouched,
    require,
    require_gradient,
    require_tensor,
    seeded,
)

DOUBLE = {"dtype": torch.double, "device": torch.device("cpu")}


@pytest.mark.parametrize("draw", [torch.rand, np.random.rand, lambda n: random.random()])
def test_a_generator_that_moved_is_noticed(draw: Callable[[int], object]) -> None:
    message = "A draw moved a global random state"
    with pytest.raises(AssertionError, match=message), random_state_untouched("A draw"):
        draw(1)
    with random_state_untouched("Nothing"):
        torch.rand(1, generator=torch.Generator())


def test_torchs_generator_is_seeded_and_put_back() -> None:
    with random_state_untouched("The context"):
        drawn = []
        for _ in range(2):
            with seeded(3):
                drawn.append(torch.rand(2))
    assert torch.equal(*drawn)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (torch.zeros(3).double(), "has shape"),
        (torch.zeros(2), "is in torch.float32"),
        (torch.tensor([0.0, torch.nan]).double(), "not finite"),
    ],
)
def test_a_tensor_is_what_it_should_be(values: Tensor, message: str) -> None:
    require_tensor(torch.zeros(2).double(), (2,), DOUBLE, "It")
    with pytest.raises(AssertionError, match=message):
        require_tensor(values, (2,), DOUBLE, "It")


def test_gradients_are_there_reach_the_points_and_are_finite() -> None:
    X = torch.zeros(2).requires_grad_()
    require_gradient(X.square(), X, "It")
    for values, message in (
        (X.detach(), "carries no gradient"),
        (torch.ones(1).requires_grad_(), "does not depend on X"),
        (X.sqrt(), "not finite"),
    ):
        with pytest.raises(AssertionError, match=message):
            require_gradient(values, X, "It")


def test_a_requirement_is_no_assert_statement() -> None:
    with pytest.raises(AssertionError, match="said so"):
        require(False, "said so")
