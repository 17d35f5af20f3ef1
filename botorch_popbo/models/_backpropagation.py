"""The gradient of a small ReLU network, in closed form.

A step of training is some fifteen products of small matrices. Autograd's bookkeeping takes as long
as they do.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import Linear
from torch.nn.functional import linear


@torch.no_grad()
def gradients(
    layers: Sequence[Linear], X: Tensor, slope: Callable[[Tensor], Tensor]
) -> list[Tensor]:
    """Derivatives of a loss of the output with respect to all weights and biases.

    Args:
        layers: Linear layers with ReLUs between them, of which the last has one output.
        X: Inputs, an ``m x d`` tensor.
        slope: Maps the ``m`` outputs to the loss's derivatives with respect to them.

    Returns:
        For each layer those of its weight and those of its bias, of their shapes.
    """
    inputs = [X]
    for layer in layers[:-1]:
        inputs.append(linear(inputs[-1], layer.weight, layer.bias).relu_())
    output = linear(inputs[-1], layers[-1].weight, layers[-1].bias).squeeze(-1)
    delta = slope(output).to(output.dtype).unsqueeze(-1)
    found: list[Tensor] = []
    for layer, values in zip(reversed(layers), reversed(inputs), strict=True):
        found += [delta.sum(0), delta.T @ values]
        if values is not X:
            # The output of a ReLU, zero where it passes nothing on: a product is the fastest mask.
            delta = (delta @ layer.weight).mul_(values.sign_())
    return found[::-1]
