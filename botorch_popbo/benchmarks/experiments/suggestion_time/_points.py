"""The points that suggestions are made from: uniform on the domain of Hartmann-6."""

import torch
from botorch.test_functions.synthetic import Hartmann
from torch import Tensor

BOUNDS = torch.tensor([[0.0] * 6, [1.0] * 6], dtype=torch.float64)

_FUNCTION = Hartmann(dim=6, dtype=torch.float64)

#: Points and their outcomes.
Data = tuple[Tensor, Tensor]


def uniform_data(num_points: int) -> Data:
    """Uniform points of the domain of Hartmann-6 with their outcomes, larger being better."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 6, generator=generator, dtype=torch.float64)
    return X, -_FUNCTION(X, noise=False).unsqueeze(-1)
