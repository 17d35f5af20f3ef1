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
def set_gradients(layers: Sequence[Linear], X: Tensor, slope: Callable[[Tensor], Tensor]) -> None:
    """Replace the gradients of all weights and biases by those of a loss of the output.

    Args:
        layers: Linear layers with ReLUs between them, of which the last has one output.
        X: Inputs, an ``m x d`` tensor.
        slope: Maps the ``m`` outputs to the loss's derivatives with respect to them.
    """
    inputs = [X]
    for layer in layers[:-1]:
        inputs.append(linear(inputs[-1], layer.weight, layer.bias).relu_())
    output = linear(inputs[-1], layers[-1].weight, layers[-1].bias).squeeze(-1)
    delta = slope(output).to(output.dtype).unsqueeze(-1)
    for layer, values in zip(reversed(layers), reversed(inputs), strict=True):
        layer.weight.grad, layer.bias.grad = delta.T @ values, delta.sum(0)
        # A ReLU is zero where it passes nothing on. What reaches X is not used.
        delta = (delta @ layer.weight).masked_fill_(values <= 0, 0.0)
