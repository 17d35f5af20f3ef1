"""Derivatives in closed form, of which there is no second one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

_Backward = Callable[..., tuple[Tensor | None, ...]]


def once_differentiable(backward: _Backward) -> _Backward:
    """Make a derivative of the derivative an error.

    PyTorch's decorator of this name leaves no way from the derivative to the inputs, so that
    :func:`torch.autograd.functional.hessian` would be zero.

    Args:
        backward: A static method of an autograd function.

    Returns:
        The method, which raises ``NotImplementedError`` where PyTorch is to create the graph of the
        derivative.
    """

    @wraps(backward)
    def once(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise NotImplementedError(
                "This function has no second derivative. Take differences of its gradients, "
                "without create_graph."
            )
        return backward(ctx, *slopes)

    return once
