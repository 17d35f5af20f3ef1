"""Derivatives in closed form, of which there is no second one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor


def once_differentiable(
    backward: Callable[..., tuple[Tensor | None, ...]],
) -> Callable[..., tuple[Tensor | None, ...]]:
    """Make a derivative of the derivative an error.

    PyTorch's decorator of this name leaves no way from the derivative to the inputs, so that
    :func:`torch.autograd.functional.hessian` would be zero.

    Args:
        backward: A static method of an autograd function, whose inputs are saved.

    Returns:
        The method.
    """

    @wraps(backward)
    def once(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        with torch.no_grad():
            gradients = backward(ctx, *slopes)
        if not torch.is_grad_enabled():
            return gradients
        sources = (*ctx.saved_tensors, *slopes)
        return tuple(
            None if gradient is None else _Refusal.apply(gradient, *sources)
            for gradient in gradients
        )

    return once


class _Refusal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Tensor, *sources: Tensor) -> Tensor:
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> None:
        raise NotImplementedError(
            "This function has no second derivative. Take differences of its gradients."
        )
