import itertools

import pytest
import torch
from torch.nn import Linear, ReLU, Sequential

from botorch_popbo.models._backpropagation import gradients


@pytest.mark.parametrize("hidden_sizes", [(), (5,), (5, 3, 4)])
def test_gradients_are_those_of_autograd(hidden_sizes: tuple[int, ...]) -> None:
    sizes = (2, *hidden_sizes, 1)
    generator = torch.Generator().manual_seed(0)
    layers = [Linear(*pair, dtype=torch.float64) for pair in itertools.pairwise(sizes)]
    for parameter in Sequential(*layers).parameters():
        parameter.data.normal_(generator=generator)
    X = torch.randn(7, 2, generator=generator, dtype=torch.float64)
    modules = [module for layer in layers for module in (layer, ReLU())]
    output = Sequential(*modules[:-1])(X).squeeze(-1)
    output.exp().mean().backward()
    expected = [parameter.grad for layer in layers for parameter in layer.parameters()]
    found = gradients(layers, X, lambda z: z.exp() / len(z))
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-14)
