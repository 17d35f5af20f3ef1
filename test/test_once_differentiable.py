from typing import Any

import pytest
import torch
from helpers.gaussian import unit_points
from torch import Tensor
from torch.autograd.functional import hessian, jacobian

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo._once_differentiable import once_differentiable
from botorch_popbo.acquisition._log_improvement import log_improvement


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, power: int) -> Tensor:
        ctx.save_for_backward(x)
        return x**power

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        (x,) = ctx.saved_tensors
        return 2.0 * x * slope, None


def square(x: Tensor) -> Tensor:
    value: Tensor = Square.apply(x, 2)
    return value


def test_there_is_a_first_derivative() -> None:
    assert torch.autograd.gradcheck(square, torch.tensor(1.5).double().requires_grad_())
    slope = jacobian(square, torch.tensor(1.5), create_graph=True)
    assert slope.item() == 3.0


def test_the_second_one_is_an_error_and_not_zero() -> None:
    with pytest.raises(NotImplementedError, match="second derivative"):
        hessian(square, torch.tensor(1.5))
    with pytest.raises(NotImplementedError, match="second derivative"):
        hessian(lambda mean: log_improvement(mean, torch.ones_like(mean)), torch.tensor(0.5))


def test_an_acquisition_function_has_no_hessian_of_zeros() -> None:
    X = unit_points(8)
    acquisition = LogExpectedUtilityImprovement(RankingGP(X, X.sum(-1, keepdim=True)).fit())
    with pytest.raises(NotImplementedError, match="second derivative"):
        hessian(lambda point: acquisition(point).sum(), unit_points(1, seed=1))
